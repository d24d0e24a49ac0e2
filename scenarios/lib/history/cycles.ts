import type { MixCycleName } from '../../../contract/mix-cycles.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Client } from '../client/open-client.ts'
import { createTokenName } from '../identity/api-token.ts'
import { getCredential, refreshSpec, signIn, takeRefresh } from '../identity/session.ts'
import { pickText } from '../pick.ts'
import { type Credential, isSuccess, type Reply, type RequestSpec, send } from '../requests/request.ts'
import { pause } from '../time/pause.ts'
import { cycleFeed } from './feed-cycle.ts'
import { createKey, record, recordSessions } from './record.ts'

export type CycleContext = {
  target: Target
  /** The client that runs the cycle, signed in with the wallet. */
  client: Client
  wallet: Wallet
  /** The number of the wallet in the log. */
  walletNumber: number
  /** The address of another wallet. */
  other: string | undefined
  random: () => number
}

/**
 * The steps of a mix that use a credential from its creation to its end, with concurrent requests. Their responses are
 * judged after the load, by the operation log.
 */
export const CYCLES: Record<MixCycleName, (context: CycleContext) => Promise<void>> = {
  'session-cycle': cycleSession,
  'token-cycle': cycleTokens,
  'feed-cycle': cycleFeed,
  'faucet-claims': claimTwice,
}

/** A cheap read that needs a credential. */
const READ: RequestSpec = { method: 'GET', path: '/access/status', unread: true }

async function cycleSession({ target, client, wallet, walletNumber, random }: CycleContext): Promise<void> {
  const session = await signIn(target, wallet)
  const { begin, send: sendRecorded } = recordSessions(target, { wallet: walletNumber, send })
  begin(getCredential(session))
  // On another device: the logout below ends only the first one.
  const other = await signIn(target, wallet)
  begin(getCredential(other))
  const read = (credential: Credential) => sendRecorded(target, { ...READ, credential })
  const refresh = (credential: Credential) => sendRecorded(target, refreshSpec(credential))

  await read(getCredential(session))
  const sent = getCredential(session)
  const raced = await Promise.all([refresh(sent), refresh(sent), read(sent)])
  for (const reply of raced.slice(0, 2)) takeRefresh(target, session, { sent, reply })
  await Promise.all([read(getCredential(session)), read(getCredential(session))])

  const last = getCredential(session)
  const logout = sendRecorded(target, { method: 'POST', path: '/auth/logout', credential: last })
  const [late] = await Promise.all([random() < 0.5 ? refresh(last) : read(last), logout, read(last)])
  await Promise.all([read(last), read(getCredential(other))])
  takeRefresh(target, session, { sent: last, reply: late })
  await Promise.all([read(getCredential(session)), refresh(getCredential(session))])
  // The older session of the client: if it works, the target was not reset.
  await client.send(READ)
}

async function cycleTokens({ target, client, walletNumber }: CycleContext): Promise<void> {
  const credential = client.credential()
  if (credential === undefined) return
  const create = () => createToken(target, { credential, walletNumber })
  const older = await create()
  // So that a race among the others spares it: if it works later, the target was not reset.
  await pause(PAUSE_MS)
  const [revoked, other] = await Promise.all([create(), create()])
  const use = (token: KnownToken | undefined) =>
    token && record({ kind: 'T', key: token.key }, () => send(target, { ...READ, credential: token.bearer }))
  const revoke = (token: KnownToken | undefined) =>
    token && record({ kind: 'D', key: token.key }, () => send(target, { ...revokeSpec(token), credential }))

  await Promise.all([use(older), use(revoked), use(other)])
  await Promise.all([use(revoked), revoke(revoked), use(other)])
  await Promise.all([use(revoked), create().then(revoke), use(other)])
  await Promise.all([use(older), revoke(other), use(other)])
  await Promise.all([use(older), use(other), use(revoked)])
  await pause(PAUSE_MS)
  await Promise.all([use(older), use(revoked)])
  await revoke(older)
  await use(older)
}

/** Longer than a race. */
const PAUSE_MS = 100

type KnownToken = { key: string; id: string; bearer: { bearer: string } }

const TOKENS = '/api-tokens'

async function createToken(
  target: Target,
  { credential, walletNumber }: { credential: Credential; walletNumber: number },
): Promise<KnownToken | undefined> {
  const key = createKey('token')
  const body = { name: createTokenName(), expires_in_days: 1 }
  const reply = await record({ kind: 'C', key, argument: walletNumber }, () =>
    send(target, { method: 'POST', path: TOKENS, credential, body }),
  )
  const [id, secret] = [pickText(reply.json, 'data.id'), pickText(reply.json, 'data.token')]
  return isSuccess(reply) && id !== undefined && secret !== undefined
    ? { key, id, bearer: { bearer: secret } }
    : undefined
}

function revokeSpec({ id }: KnownToken): RequestSpec {
  return { method: 'DELETE', path: `${TOKENS}/${encodeURIComponent(id)}`, route: `${TOKENS}/{id}` }
}

async function claimTwice({ target, client, wallet: { address } }: CycleContext): Promise<void> {
  const { faucet } = target.profile.choices
  if (faucet.path === null || faucet.address === null) return
  const spec: RequestSpec = {
    method: 'POST',
    path: faucet.path,
    body: { [faucet.address]: address },
    provokes: [429],
    ...(faucet.access === 'public' ? {} : { credential: client.credential() }),
  }
  const claim = () =>
    record({ kind: 'F', key: `faucet ${address}`, value: readSeconds }, () => send(target, spec))
  await Promise.all([claim(), claim()])
}

/** The time on the target's clock. */
function readSeconds(reply: Reply): number {
  const ms = Date.parse(reply.headers.date ?? '')
  return Number.isNaN(ms) ? -1 : ms / 1000
}
