import { Counter } from 'k6/metrics'
import type { MixClient } from '../../contract/mix.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge, CannotProbe } from './cannot.ts'
import { drawSeconds, pickByWeight } from './mix-chance.ts'
import { followFeed } from './mix-feed.ts'
import { type Identity, identify } from './mix-identity.ts'
import { createMemory, type KnownPool, type Memory } from './mix-memory.ts'
import { mixRequest } from './mix-requests.ts'
import { mixRooms } from './mix-rooms.ts'
import { pause } from './pause.ts'
import { pickRevision } from './pick.ts'
import { readRevision } from './protocol-state.ts'
import { redactor } from './redact.ts'
import { type Reply, request } from './request.ts'

/** By `end`: lived, refused (401 or 403, after which a client stops), absent (it could not sign in). */
const clients = new Counter('mix_clients')

/** What the clients of this VU have seen, one after another. */
const memory: Memory = createMemory()

type Life = {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  number: number
  lifeSeconds: number
  /** The end of the mix. */
  untilMs: number
  random: () => number
}

/** Thrown where the client has no business here: credentials that are refused. */
class Refused extends Error {}

/** One client from its arrival to its end. Trouble of the target ends requests, never the mix. */
export async function liveOnce(life: Life): Promise<void> {
  const { client } = life
  const untilMs = Math.min(life.untilMs, Date.now() + life.lifeSeconds * 1000)
  const mark = redactor.mark()
  const identity = await identify(life).catch(orUndefined)
  if (identity === undefined) {
    clients.add(1, { end: 'absent' })
    // Whoever comes next would be turned away as fast.
    await pause(Math.max(0, Math.min(1000, untilMs - Date.now())))
    return
  }
  const visit = createVisit(life, identity)
  const feed = await startFeed(life, identity, visit)
  let end = 'lived'
  try {
    while (Date.now() < untilMs) {
      await identity.keepFresh().catch(orUndefined)
      await visit.step()
      const thinkMs = drawSeconds(client.think, life.random) * 1000
      await pause(Math.max(0, Math.min(thinkMs, untilMs - Date.now())))
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    end = 'refused'
  } finally {
    clients.add(1, { end })
    feed?.close()
    await feed?.ended.catch(orUndefined)
    await identity.leave()
    // Its secrets have ended with it, and nothing of it can be shown any more.
    redactor.forgetSince(mark)
  }
}

type Visit = {
  step(): Promise<void>
  ask(name: string, pool: KnownPool | undefined): Promise<void>
  hear(revision: bigint): void
}

function createVisit({ target, client, random }: Life, identity: Identity): Visit {
  let announced = 0n
  const ask: Visit['ask'] = async (name, pool) => {
    const spec = mixRequest(name, { choices: target.profile.choices, memory, pool, random })
    if (spec === undefined) return
    const reply = await send(spec)
    if (name.startsWith('explore')) memory.learn(reply?.json)
    if (name === 'explore-next') memory.advance('explore', reply?.json)
    if (name === 'pools-next') memory.advance('pools', reply?.json)
    if (name === 'route' && isStale(target, reply, announced)) await send(spec)
  }
  const send = async (spec: Parameters<typeof request>[1]): Promise<Reply | undefined> => {
    const trySend = () => request(target, { ...spec, credential: identity.credential() }).catch(orUndefined)
    const reply = await trySend()
    if (reply?.status === 401) {
      if (!(await identity.renew().catch(orUndefined))) throw new Refused('401')
      return await trySend()
    }
    if (reply?.status === 403) throw new Refused('403')
    return reply
  }
  return {
    ask,
    async step() {
      if (!memory.knows()) await ask('explore-page', undefined)
      const { requests } = pickByWeight(client.steps, random)
      const pool = memory.pick({ skew: client.poolSkew, random })
      await Promise.all(requests.map((name) => ask(name, pool)))
    },
    hear(revision) {
      if (revision > announced) announced = revision
      // An invalidation, not the configuration: that is read where it changed.
      readRevision(target, identity.credential(), revision).catch(orUndefined)
    },
  }
}

/** Guidance from before a change that was announced is not used: it is asked for anew, once. */
function isStale({ profile }: Target, reply: Reply | undefined, announced: bigint): boolean {
  const revision = pickRevision(reply?.json, profile.choices.route.protocolRevision)
  return revision !== undefined && revision < announced
}

async function startFeed({ target, client, random }: Life, identity: Identity, visit: Visit) {
  const credential = identity.credential()
  if (client.feed === null || credential === undefined) return undefined
  if (!memory.knows()) await visit.ask('explore-page', undefined)
  const { feed, poolSkew } = client
  const rooms = mixRooms({ counts: feed.rooms, memory, skew: poolSkew, address: identity.address, random })
  return followFeed({
    target,
    credential: () => identity.credential() ?? credential,
    rooms,
    renewAfterMs: feed.renewAfterSeconds * 1000,
    random,
    refetch: () => {
      visit.step().catch(orUndefined)
    },
    onRevision: visit.hear,
  })
}

/** Trouble that the kit tells of is no fault of this program; whatever else is thrown is. */
function orUndefined(error: unknown): undefined {
  if (error instanceof CannotJudge || error instanceof CannotProbe || error instanceof Refused)
    return undefined
  throw error
}
