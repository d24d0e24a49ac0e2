import { Counter } from 'k6/metrics'
import type { MixClient } from '../../../contract/mix.ts'
import { isCycle, type MixCycleName } from '../../../contract/mix-cycles.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import type { Followed } from '../client/follow-feed.ts'
import { type Client, type ClientIs, openClient } from '../client/open-client.ts'
import { ClientStopped } from '../client/rest-client.ts'
import { createServerClock, type KnownClock } from '../duties/server-clock.ts'
import { CYCLES } from '../history/cycles.ts'
import { recordSessions } from '../history/record.ts'
import { redactor } from '../redact.ts'
import { send, sendAlone } from '../requests/request.ts'
import { pause } from '../time/pause.ts'
import { CannotJudge, CannotProbe } from '../verdict/judge.ts'
import { drawSeconds, pickByWeight } from './mix-chance.ts'
import type { followMixFeed } from './mix-feed.ts'
import { createMemory, type KnownPool, type Memory, mixRequest, mixRooms } from './mix-requests.ts'

/** `refused`: stopped by 401 or 403. `absent`: could not sign in. */
type ClientEnd = 'completed' | 'unauthorized' | 'sign-in-failed'

const clients = new Counter('mix_clients')

const TAGS: Readonly<Record<ClientEnd, { end: ClientEnd }>> = {
  completed: { end: 'completed' },
  unauthorized: { end: 'unauthorized' },
  'sign-in-failed': { end: 'sign-in-failed' },
}

/** Counts ended clients for the report's notes. */
export function countClient(end: ClientEnd): void {
  clients.add(1, TAGS[end])
}

/** Shared by the successive clients of this VU. */
export const memory: Memory = createMemory()
/** The target's clock, from responses to this VU and from the measurement before the load. */
export const clock = createServerClock()
let isFirst = true

type Life = {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  number: number
  lifeSeconds: number
  /** End of the mix, epoch ms. */
  untilMs: number
  random: () => number
  /** Clock measured before the load; null if unmeasured. */
  clockBefore?: KnownClock | null
  /** Injected, because clients without a socket do not need it. */
  followFeed: typeof followMixFeed
}

/**
 * Runs one client from arrival to end, at least one step. Errors of the target end requests, never the mix.
 */
export async function liveOnce(life: Life): Promise<void> {
  const { client: mixed, clockBefore } = life
  if (isFirst && clockBefore) clock.learn(clockBefore)
  isFirst = false
  const untilMs = Math.min(life.untilMs, Date.now() + life.lifeSeconds * 1000)
  const mark = redactor.mark()
  const client = await openMixClient(life).catch(orUndefined)
  if (client === undefined) {
    countClient('sign-in-failed')
    // Delays the next client, which would fail as fast.
    await pause(Math.max(0, Math.min(1000, untilMs - Date.now())))
    return
  }
  const visit = createVisit(life, client)
  let end: ClientEnd = 'completed'
  try {
    if (mixed.feed !== null && client.credential() !== undefined) await visit.follow(mixed.feed)
    do {
      await visit.step()
      const thinkMs = drawSeconds(mixed.thinkTime, life.random) * 1000
      await pause(Math.max(0, Math.min(thinkMs, untilMs - Date.now())))
    } while (Date.now() < untilMs)
  } catch (error) {
    if (!(error instanceof ClientStopped)) throw error
    end = 'unauthorized'
  } finally {
    countClient(end)
    await client.leave()
    // The client's secrets have ended and can no longer appear in output.
    redactor.forgetSince(mark)
  }
}

/** Throws CannotJudge if the target rejects the sign-in, CannotProbe if it has no such credential. */
export async function openMixClient(
  life: Pick<Life, 'target' | 'client' | 'wallets' | 'number'>,
): Promise<Client> {
  const refreshAfterMs = life.client.refreshAfterSeconds * 1000
  const send = chooseSend(life.client)
  if (life.client.credential !== 'session') {
    return await openClient(life.target, mixIdentity(life), { refreshAfterMs, once: send })
  }
  const recorder = recordSessions(life.target, { wallet: getWalletNumber(life), send })
  const client = await openClient(life.target, mixIdentity(life), { refreshAfterMs, once: recorder.send })
  recorder.begin(client.credential())
  return client
}

/** Uses the cheaper synchronous path for clients that never wait for two things at once. */
function chooseSend({ feed, steps }: MixClient): typeof send {
  if (feed !== null) return sendAndLearnClock
  const isAlone = steps.every(({ requests }) => requests.length === 1)
  return isAlone ? async (target, spec) => sendAlone(target, spec) : send
}

/** Clients with a feed need the target's clock, because events carry its timestamps. */
async function sendAndLearnClock(...requested: Parameters<typeof send>): ReturnType<typeof send> {
  const sentMs = Date.now()
  const reply = await send(...requested)
  const { date, age } = reply.headers
  clock.observe({ sentMs, heardMs: Date.now(), date, age })
  return reply
}

function getWalletNumber({ wallets, number }: Pick<Life, 'wallets' | 'number'>): number {
  return number % wallets.length
}

function createVisit(life: Life, client: Client) {
  const { target, client: mixed, lifeSeconds, random, followFeed } = life
  const { choices } = target.profile
  let feed: Followed | undefined
  const cycle = async (name: MixCycleName): Promise<void> => {
    const walletNumber = getWalletNumber(life)
    const wallet = life.wallets[walletNumber]
    if (wallet === undefined) return
    const other = life.wallets.find(({ address }) => address !== wallet.address)?.address
    await CYCLES[name]({ target, client, wallet, walletNumber, other, random }).catch(undefinedOnError)
  }
  const send = async (name: string, pool: KnownPool | undefined): Promise<void> => {
    if (isCycle(name)) return await cycle(name)
    const spec = mixRequest(name, { choices, memory, pool, random })
    if (spec === undefined) return
    const isQuote = name === 'route' && feed !== undefined
    const reply = await (isQuote ? feed?.route(spec) : client.send(spec))?.catch(undefinedOnError)
    if (name.startsWith('explore')) memory.learn(reply?.json)
    if (name === 'explore-next') memory.advance('explore', reply?.json)
    if (name === 'pools-next') memory.advance('pools', reply?.json)
  }
  const step = async (isWanted = (_name: string) => true): Promise<void> => {
    if (!memory.knows() && !mixed.steps.every(({ requests }) => requests.every(isCycle))) {
      await send('explore-page', undefined)
      // A client with a single step is done.
      if (lifeSeconds === 0) return
    }
    const { requests } = pickByWeight(mixed.steps, random)
    const pool = memory.pick({ skew: mixed.poolSkew, random })
    await Promise.all(requests.filter(isWanted).map((name) => send(name, pool)))
  }
  return {
    step,
    async follow(wanted: NonNullable<MixClient['feed']>): Promise<void> {
      if (!memory.knows()) await send('explore-page', undefined)
      const { address } = client
      const rooms = mixRooms({ counts: wanted.rooms, memory, skew: mixed.poolSkew, address, random })
      // Only reads: a cycle in the background would go on with the session after its logout.
      const refetch = () => step((name) => !isCycle(name))
      feed = followFeed(client, { feed: wanted, rooms, refetch, clock })
    },
  }
}

/** Like orUndefined, but lets ClientStopped through. */
function undefinedOnError(error: unknown): undefined {
  if (error instanceof ClientStopped) throw error
  return orUndefined(error)
}

/** Swallows errors of the target; anything else is a bug and is rethrown. */
export function orUndefined(error: unknown): undefined {
  if (error instanceof CannotJudge || error instanceof CannotProbe) return undefined
  throw error
}

/**
 * Picks a client's identity: anonymous, an API token, or a wallet to sign in with. Throws CannotProbe if the
 * target has no such credential.
 */
export function mixIdentity(options: {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  /** VU number; spreads VUs over tokens and wallets. */
  number: number
}): ClientIs {
  const { target, client, wallets, number } = options
  if (client.credential === 'none') return 'anonymous'
  if (client.credential === 'api-token') return { apiToken: choose(target.apiTokens, number, 'API token') }
  return { wallet: choose(wallets, number, 'wallet') }
}

function choose<Item>(items: readonly Item[], number: number, what: string): Item {
  const item = items[number % items.length]
  if (item === undefined) throw new CannotProbe(`a client of the mix needs a ${what}`)
  return item
}
