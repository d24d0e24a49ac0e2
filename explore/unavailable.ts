/** Commands that the profile does not describe enough to use: a model that cannot tell would judge nothing. */
import type { Profile } from '../contract/profile.ts'
import { COMMAND_KINDS, type CommandKind } from './sequence.ts'

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
  'log-out',
  'log-out-all',
  'revoke-session',
  'create-token',
  'revoke-token',
]

/** The reason for each command that cannot be used. */
export function listUnavailable({ choices }: Profile): ReadonlyMap<CommandKind, string> {
  const { cookies, verify, sessions, apiTokens, wsTicket, events, refresh } = choices
  const missing: [string, unknown, readonly CommandKind[]][] = [
    ['cookies.refresh', cookies.refresh, COMMAND_KINDS],
    ['cookies.access', cookies.access, COMMAND_KINDS],
    ['verify.csrfToken', verify.csrfToken, CHANGES],
    ['sessions.list', sessions.list, ['list-sessions', 'revoke-session']],
    ['sessions.id', sessions.id, ['list-sessions', 'revoke-session']],
    ['sessions.current', sessions.current, ['list-sessions', 'revoke-session']],
    ['apiTokens.list', apiTokens.list, ['list-tokens']],
    ['apiTokens.id', apiTokens.id, ['list-tokens']],
    ['wsTicket.ticket', wsTicket.ticket, SOCKETS],
    ['events.pool', events.pool, ['hear']],
    ['refresh.graceSeconds', refresh.graceSeconds, ['wait']],
  ]
  const reasons = new Map<CommandKind, string>()
  for (const [field, value, kinds] of missing)
    if (value === null)
      for (const kind of kinds)
        if (!reasons.has(kind)) reasons.set(kind, `the profile does not set choices.${field}`)
  return reasons
}
