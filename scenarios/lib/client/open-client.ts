import { createRateGate, type RateGate } from '../../../client/retry-wait.ts'
import { keepSession, type SessionPort } from '../../../client/session.ts'
import {
  createStoppableWaits,
  type StoppableWaits,
  type Tools,
  withStoppablePause,
} from '../../../client/time-and-chance.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { k6Tools } from '../duties/k6-tools.ts'
import {
  getCredential,
  logoutSpec,
  refreshSpec,
  replaceSession,
  type Session,
  signIn,
  takeRefresh,
} from '../identity/session.ts'
import { createPatience, GaveUp, type Patiently } from '../requests/patient.ts'
import { type Reply, type RequestSpec, send } from '../requests/request.ts'
import { CannotJudge } from '../verdict/judge.ts'
import {
  type Access,
  CLIENT_LEFT,
  ClientStopped,
  createRestClient,
  fixedAccess,
  type RestClient,
} from './rest-client.ts'

export type ClientIs = { wallet: Wallet } | { session: Session } | { apiToken: string } | 'anonymous'

export type Client = RestClient & { readonly target: Target }

export type ClientOptions = {
  /** Delay of a session's refresh after its sign-in or last refresh; up to a tenth earlier. */
  refreshAfterMs?: number
  /** Sends a request without retries. */
  once?: (target: Target, spec: RequestSpec) => Promise<Reply>
}

const REFRESH_AFTER_MS = (LIMITS.accessSessionSeconds - 180) * 1000

/** A client that behaves as the API documentation requires. Throws CannotJudge if sign-in is rejected. */
export async function openClient(
  target: Target,
  who: ClientIs,
  { refreshAfterMs = REFRESH_AFTER_MS, once = send }: ClientOptions = {},
): Promise<Client> {
  const gate = createRateGate(k6Tools, (message) => new CannotJudge(message))
  const waits = createStoppableWaits(k6Tools)
  const tools = withStoppablePause(k6Tools, waits, CLIENT_LEFT)
  const ways: Ways = {
    gate,
    tools,
    waits,
    patiently: createPatience(tools, gate),
    once: (spec) => once(target, spec),
  }
  const access = await openAccess(target, { who, ways, refreshAfterMs })
  return { ...createRestClient({ ...ways, access, waits }), target }
}

type Ways = {
  gate: RateGate
  tools: Tools
  waits: Pick<StoppableWaits, 'isStopped'>
  patiently: Patiently
  once: (spec: RequestSpec) => Promise<Reply>
}

async function openAccess(
  target: Target,
  { who, ways, refreshAfterMs }: { who: ClientIs; ways: Ways; refreshAfterMs: number },
): Promise<Access> {
  if (who === 'anonymous') return fixedAccess(undefined)
  if ('apiToken' in who) return fixedAccess({ bearer: who.apiToken })
  const session = 'session' in who ? who.session : await signIn(target, who.wallet)
  const port = createSessionPort(target, session, ways)
  return {
    address: session.wallet.address,
    credential: () => getCredential(session),
    ...keepSession({ port, tools: ways.tools, refreshAfterMs }),
    async leave() {
      await ways.gate.pass(k6Tools.pause).catch(() => undefined)
      // With `once`, so that the operation log of a load has it.
      const spec = logoutSpec(session)
      await createPatience(k6Tools)(spec, () => ways.once(spec)).catch(() => undefined)
    },
  }
}

export async function withClient(
  target: Target,
  who: ClientIs,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const client = await openClient(target, who)
  try {
    await use(client)
  } finally {
    await client.leave()
  }
}

function createSessionPort(
  target: Target,
  session: Session,
  { gate, tools, waits, patiently, once }: Ways,
): SessionPort {
  return {
    version: () => getCredential(session),
    isEmpty: () => session.cookies.size === 0,
    async refresh() {
      const sent = getCredential(session)
      try {
        // A repeated refresh may lose a race or be rejected: the worst case is a new sign-in.
        const reply = await patiently({ method: 'POST', repeatable: true }, () => once(refreshSpec(sent)))
        takeRefresh(target, session, { sent, reply })
        return reply.status
      } catch (error) {
        if (error instanceof ClientStopped || !(error instanceof CannotJudge)) throw error
        return 0
      }
    },
    async signIn() {
      if (waits.isStopped()) throw CLIENT_LEFT
      await gate.pass(tools.pause)
      try {
        replaceSession(session, await signIn(target, session.wallet))
      } catch (error) {
        // Errors that may be transient end only this request.
        if (!(error instanceof CannotJudge) || error instanceof GaveUp) throw error
        throw new ClientStopped(error.message)
      }
    },
  }
}
