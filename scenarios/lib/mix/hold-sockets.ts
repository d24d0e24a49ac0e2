import { Counter, Trend } from 'k6/metrics'
import type { MixClient } from '../../../contract/mix.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { OfferedSockets, Target } from '../../../contract/scenario-config.ts'
import {
  FEED_RECOVERY,
  FEED_ROOMS_UNKNOWN,
  FEED_SOCKETS_DUE,
  FEED_SOCKETS_HELD,
  FEED_UNRECOVERED,
} from '../../../contract/series.ts'
import { type Followed, followFeed } from '../client/follow-feed.ts'
import type { Client } from '../client/open-client.ts'
import type { KnownClock } from '../duties/server-clock.ts'
import { pause } from '../time/pause.ts'
import { clock, countClient, memory, openMixClient, orUndefined } from './mix-client.ts'
import { followMixFeed } from './mix-feed.ts'
import { mixRequest, mixRooms } from './mix-requests.ts'

const due = new Counter(FEED_SOCKETS_DUE)
const held = new Counter(FEED_SOCKETS_HELD)
const unknown = new Counter(FEED_ROOMS_UNKNOWN)

/** The sockets of one VU: they share its client, and each follows rooms of its own. */
type Holder = {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  /** Number of this VU, from 0, over all load generators. */
  vu: number
  offered: OfferedSockets
  /** Start of the load, epoch ms. */
  startMs: number
  seconds: number
  random: () => number
  clockBefore: KnownClock | null
}

/**
 * Opens each socket at its time, and once all are due counts every second how many are served. A socket that ends is opened again
 * as a correct client does it. Errors of the target never end the load.
 */
export async function holdSockets(holder: Holder): Promise<void> {
  const { client: mixed, vu, offered, startMs, seconds, clockBefore } = holder
  if (clockBefore !== null) clock.learn(clockBefore)
  const planned = listSockets(vu, offered)
  const feeds: OpenedFeed[] = []
  const untilMs = startMs + seconds * 1000
  const client = await openMixClient({ ...holder, number: vu }).catch(orUndefined)
  const storm =
    offered.storm === undefined
      ? undefined
      : createStorm({ storm: offered.storm, startMs, sockets: planned.length })
  const raging = storm?.run()
  const counting = countServed({ holder, feeds, planned, untilMs })
  if (client === undefined) {
    countClient('sign-in-failed')
    await raging
    return await counting
  }
  try {
    if (mixed.feed !== null) await learnPools(client, holder)
    for (const socket of planned) {
      await pause(Math.max(0, startMs + socket.atSeconds * 1000 - Date.now()))
      if (Date.now() >= untilMs) break
      const feed = openOne(client, { holder, socket, storm })
      if (feed !== undefined) feeds.push({ feed, weight: weigh(socket) })
    }
    await raging
    await counting
    countClient('completed')
  } finally {
    await client.leave()
  }
}

const FURTHER_PAGES_MAX = 3

/** One page, as any client reads it; more only if rooms are the load and would be missing. */
async function learnPools(client: Client, holder: Holder): Promise<void> {
  const { target, offered, random } = holder
  const { choices } = target.profile
  const read = async (name: 'explore-page' | 'explore-next') => {
    const spec = mixRequest(name, { choices, memory, pool: undefined, random })
    const body = spec && (await client.send(spec).catch(orUndefined))?.json
    memory.learn(body)
    if (name === 'explore-next') memory.advance('explore', body)
  }
  await read('explore-page')
  const { rooms } = offered
  if (rooms === undefined) return
  const isShort = () => listRooms(client, holder).length < rooms.perSocket
  for (let pages = 0; pages < FURTHER_PAGES_MAX && isShort(); pages++) await read('explore-next')
}

function listRooms({ address }: Client, { client: { feed, poolSkew }, random }: Holder): string[] {
  return feed === null ? [] : mixRooms({ counts: feed.rooms, memory, skew: poolSkew, address, random })
}

function openOne(
  client: Client,
  { holder, socket, storm }: { holder: Holder; socket: PlannedSocket; storm: Storm | undefined },
): Followed | undefined {
  const { feed } = holder.client
  if (feed === null) return undefined
  const rooms = listRooms(client, holder).slice(0, socket.rooms ?? undefined)
  if (socket.rooms !== null && rooms.length < socket.rooms) unknown.add(socket.rooms - rooms.length)
  if (socket.isSlow) return followSlowly(client, { feed, rooms })
  // Sockets are the load: a reader of REST data would add another.
  return followMixFeed(client, { feed, rooms, clock, refetch: async () => {}, ...storm?.add() })
}

/** Without metrics: only sockets that read are judged. */
function followSlowly(
  client: Client,
  { feed, rooms }: { feed: NonNullable<MixClient['feed']>; rooms: readonly string[] },
): Followed | undefined {
  const renewAfterMs = feed.renewAfterSeconds * 1000
  try {
    return followFeed(client, { rooms, renewAfterMs, refetch: async () => {}, isSlow: true })
  } catch (error) {
    return orUndefined(error)
  }
}

type OpenedFeed = { feed: Followed; weight: number }

/** In the middle of each second, so that a check that is late still counts for its second. */
async function countServed(options: {
  holder: Holder
  feeds: readonly OpenedFeed[]
  planned: readonly PlannedSocket[]
  untilMs: number
}): Promise<void> {
  const { holder, feeds, planned, untilMs } = options
  const all = planned.reduce((sum, socket) => sum + weigh(socket), 0)
  const fromMs = holder.startMs + holder.offered.dueAfterSeconds * 1000
  for (let atMs = nextCheckMs(fromMs); atMs < untilMs; atMs += 1000) {
    await pause(Math.max(0, atMs - Date.now()))
    // A VU that was late for a check has missed it for its due sockets too.
    if (!isInItsSecond(atMs, Date.now())) continue
    due.add(all)
    held.add(feeds.reduce((sum, { feed, weight }) => sum + (feed.isServed() ? weight : 0), 0))
  }
  await pause(Math.max(0, untilMs - Date.now()))
}

const recovery = new Trend(FEED_RECOVERY, true)
const unrecovered = new Counter(FEED_UNRECOVERED)

/** Follows the sockets of a VU through a cut of all sockets of the load. */
type Storm = {
  /** Handlers of one more socket, which reconnects as its client does. */
  add(): { onSocket: (cut: () => void) => void; onSynchronized: () => void }
  /** Cuts all sockets at the time of the storm. Resolves when its time to recover is over. */
  run(): Promise<void>
}

type Member = { cut: (() => void) | undefined; isBack: boolean }

/** `startMs`: the start of the load. `sockets`: those of this VU, including any that never opened. */
function createStorm(options: {
  storm: NonNullable<OfferedSockets['storm']>
  startMs: number
  sockets: number
}): Storm {
  const { storm, startMs, sockets } = options
  const cutMs = startMs + storm.cutAfterSeconds * 1000
  const members: Member[] = []
  let state: 'before' | 'recovering' | 'over' = 'before'
  return {
    add() {
      const member: Member = { cut: undefined, isBack: false }
      members.push(member)
      return {
        onSocket(cut) {
          member.cut = cut
        },
        onSynchronized() {
          if (state !== 'recovering' || member.isBack) return
          member.isBack = true
          recovery.add(Date.now() - cutMs)
        },
      }
    },
    async run() {
      await pause(Math.max(0, cutMs - Date.now()))
      state = 'recovering'
      for (const { cut } of members) cut?.()
      await pause(Math.max(0, cutMs + storm.recoverWithinSeconds * 1000 - Date.now()))
      state = 'over'
      unrecovered.add(sockets - members.filter(({ isBack }) => isBack).length)
    },
  }
}

/** The first socket opens one second after the start: VUs sign in before. */
const FIRST_SECONDS = 1

type PlannedSocket = {
  number: number
  atSeconds: number
  /** How many rooms to join; null: those of the mix. */
  rooms: number | null
  /** Reads no more once it is synchronized, and is not part of what is judged. */
  isSlow: boolean
}

/** The sockets of a VU, dealt out in turn, so that VUs share the opening of sockets evenly. */
export function listSockets(
  vu: number,
  { count, vus, openedPerSecond, rooms, slowReaders = 0 }: Omit<OfferedSockets, 'dueAfterSeconds' | 'storm'>,
): PlannedSocket[] {
  const sockets: PlannedSocket[] = []
  for (let number = vu; number < count; number += vus)
    sockets.push({
      number,
      atSeconds: FIRST_SECONDS + number / openedPerSecond,
      rooms: rooms === undefined ? null : Math.min(rooms.perSocket, rooms.total - number * rooms.perSocket),
      isSlow: number < slowReaders,
    })
  return sockets
}

/** The part of the load that a socket is. */
export function weigh({ rooms, isSlow }: Pick<PlannedSocket, 'rooms' | 'isSlow'>): number {
  return isSlow ? 0 : (rooms ?? 1)
}

const SECOND_MS = 1000
const MIDDLE_MS = 500

/** The first middle of a second of the clock at or after this time. */
export function nextCheckMs(fromMs: number): number {
  return Math.ceil((fromMs - MIDDLE_MS) / SECOND_MS) * SECOND_MS + MIDDLE_MS
}

/** True if a check that was due at `atMs` still falls into its second. */
export function isInItsSecond(atMs: number, nowMs: number): boolean {
  return nowMs - atMs < MIDDLE_MS
}
