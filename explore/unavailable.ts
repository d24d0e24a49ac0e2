/** Commands that need a choice or a wallet that the profile does not provide. */
import { COMMAND_KINDS, type CommandKind } from './sequence.ts'
import type { ExploreTarget } from './target.ts'

const SOCKETS: readonly CommandKind[] = [
  'ticket',
  'redeem',
  'connect',
  'renew',
  'subscribe',
  'unsubscribe',
  'synchronize',
  'hear',
  'close',
]
const CHANGES: readonly CommandKind[] = [
  'refresh',
  'log-out',
  'log-out-all',
  'revoke-session',
  'create-token',
  'revoke-token',
  'mint',
]

const ADMIN: readonly CommandKind[] = ['read-codes', 'mint']

/** The reason for each command that cannot be used. */
export function listUnavailable({
  profile: { choices },
  administrator,
}: Pick<ExploreTarget, 'profile' | 'administrator'>): ReadonlyMap<CommandKind, string> {
  const { cookies, verify, sessions, apiTokens, wsTicket, events, refresh, faucet, referral, protocolState } =
    choices
  const missing: [string, unknown, readonly CommandKind[]][] = [
    ['cookies.refresh', cookies.refresh, COMMAND_KINDS],
    ['cookies.access', cookies.access, COMMAND_KINDS],
    ['verify.csrfToken', verify.csrfToken, CHANGES],
    ['verify.csrfToken', faucet.access === 'public' || verify.csrfToken, ['claim']],
    ['sessions.list', sessions.list, ['list-sessions', 'revoke-session']],
    ['sessions.id', sessions.id, ['list-sessions', 'revoke-session']],
    ['sessions.current', sessions.current, ['list-sessions', 'revoke-session']],
    ['apiTokens.list', apiTokens.list, ['list-tokens']],
    ['apiTokens.id', apiTokens.id, ['list-tokens']],
    ['wsTicket.ticket', wsTicket.ticket, SOCKETS],
    ['events.pool', events.pool, ['hear']],
    ['refresh.graceSeconds', refresh.graceSeconds, ['wait']],
    ['faucet.path', faucet.path, ['claim']],
    ['faucet.address', faucet.address, ['claim']],
    ['referral.redeemPath', referral.redeemPath, ['redeem-code']],
    ['referral.code', referral.code, ['redeem-code']],
    ['protocolState.revision', protocolState.revision, ['read-state']],
  ]
  const reasons = new Map<CommandKind, string>()
  for (const [field, value, kinds] of missing)
    if (value === null)
      for (const kind of kinds)
        if (!reasons.has(kind)) reasons.set(kind, `the profile does not set choices.${field}`)
  if (administrator === undefined)
    for (const kind of ADMIN) reasons.set(kind, 'the profile has no wallet of an administrator that can sign')
  return reasons
}
