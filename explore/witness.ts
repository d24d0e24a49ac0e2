/**
 * The witness: a socket of a separate wallet that is in all rooms. Delivery is at most once, so only the events of a witness show
 * which events another socket should have received.
 */
import { at } from '../client/exchange.ts'
import type { Wallet } from '../contract/profile.ts'
import { sessionHeaders } from './jar.ts'
import { type LiveSocket, openLiveSocket } from './live-socket.ts'
import type { Outcome } from './model/state.ts'
import { FOREIGN_ROOM, SHARED_ROOMS } from './sequence.ts'
import { openSession } from './sign-in.ts'
import type { ExploreTarget } from './target.ts'

export type Witness = {
  /** Rooms by their place in commands; an empty name for places without a room. */
  rooms: readonly string[]
  /** Compares the events of a socket with the witness's from now on. */
  compare(socket: LiveSocket): Promise<Pick<Outcome, 'isSynchronized' | 'heard'>>
  close(): Promise<void>
}

/** The witness reconnects before its ticket expires. */
const FRESH_MS = 30_000
/** The market moves several times between two pings, which an exchange may count as frames. */
const MOVES = 5
const STIRS_MAX = 6
const STIRS_USUAL = 2
const EVENTS_WANTED = 3

export async function createWitness(target: ExploreTarget, wallet: Wallet): Promise<Witness> {
  const rooms = await listRooms(target, wallet)
  let socket: LiveSocket | null = null
  let connectedMs = 0
  let endSession = async () => {}

  const ready = async (): Promise<LiveSocket | null> => {
    if (socket && socket.closeCode() === undefined && target.nowMs() - connectedMs < FRESH_MS) return socket
    await close()
    connectedMs = target.nowMs()
    const { session } = await openSession(target, wallet)
    if (!session) return null
    const headers = sessionHeaders(session, target.profile.choices)
    endSession = async () => void (await target.request({ method: 'POST', path: '/auth/logout', headers }))
    const { body } = await target.request({ method: 'GET', path: '/auth/ws-ticket', headers })
    const ticket = at(body, target.profile.choices.wsTicket.ticket)
    if (typeof ticket !== 'string') return null
    socket = await openLiveSocket(target)
    if (!socket) return null
    socket.send({ action: 'authenticate', token: ticket })
    if (!(await socket.synchronize())) return null
    for (const room of rooms) if (room !== '') socket.send({ action: 'subscribe', room })
    return (await socket.synchronize()) ? socket : null
  }
  const close = async () => {
    socket?.close()
    socket = null
    await endSession()
    endSession = async () => {}
  }

  return {
    rooms,
    close,
    async compare(other) {
      const isSynchronized = await other.synchronize()
      if (!isSynchronized) return { isSynchronized }
      const seen = await ready()
      if (!seen) return {}
      // Rooms that were left may send for a moment.
      await stir(target, [seen, other])
      const before = {
        witness: new Map(seen.counts()),
        socket: new Map(other.counts()),
        resyncs: other.resyncs(),
      }
      const count = (place: number) => {
        const room = rooms[place] ?? ''
        return {
          witness: (seen.counts().get(room) ?? 0) - (before.witness.get(room) ?? 0),
          socket: (other.counts().get(room) ?? 0) - (before.socket.get(room) ?? 0),
        }
      }
      const isSilent = (place: number) => count(place).socket === 0
      const joined = [...other.joined].filter((place) => place !== FOREIGN_ROOM)
      for (let stirs = 0; stirs < STIRS_MAX; stirs++) {
        await stir(target, [seen, other])
        // Balances change less often than pools.
        if (other.joined.has(FOREIGN_ROOM) && count(FOREIGN_ROOM).witness < EVENTS_WANTED) continue
        if (joined.length > 0 && joined.every((place) => count(place).socket > 0)) break
        // Rooms without events show nothing.
        const isSuspect = joined.some((place) => isSilent(place) && count(place).witness > 0)
        if (stirs >= STIRS_USUAL && !isSuspect) break
        if (joined.length === 0 && rooms.some((_, place) => count(place).witness >= EVENTS_WANTED)) break
      }
      const owed = joined.filter((place) => isSilent(place) && count(place).witness >= EVENTS_WANTED)
      // By then the socket must have caught up with the witness.
      if (owed.some(isSilent)) await stir(target, [seen, other])
      // A socket that was closed shows nothing, and one that must resynchronize may have missed anything.
      const isClosed = [seen, other].some((each) => each.closeCode() !== undefined)
      if (isClosed || other.resyncs() > before.resyncs) return { isSynchronized }
      const heard = Object.fromEntries(
        rooms.flatMap((_, place) => {
          const counted = count(place)
          // Events that came to both after the wait began to count are no longer owed.
          return counted.witness + counted.socket > 0 ? [[place, counted]] : []
        }),
      )
      return { isSynchronized, heard: onlyOwed(heard, owed) }
    },
  }
}

/** A silent room counts only if it was silent before the last wait, too. */
function onlyOwed(
  heard: NonNullable<Outcome['heard']>,
  owed: readonly number[],
): NonNullable<Outcome['heard']> {
  return Object.fromEntries(
    Object.entries(heard).filter(([place, { socket }]) => socket > 0 || owed.includes(Number(place))),
  )
}

async function stir(target: ExploreTarget, sockets: readonly LiveSocket[]): Promise<void> {
  for (let moves = 0; moves < MOVES; moves++) await target.stir()
  await Promise.all(sockets.map((socket) => socket.settle()))
}

/** Rooms of the busiest pools first, as far as the witness can see, and its balance room. */
async function listRooms(target: ExploreTarget, wallet: Wallet): Promise<string[]> {
  const { session } = await openSession(target, wallet)
  const headers = session ? sessionHeaders(session, target.profile.choices) : {}
  const { body: recent } = await target.request({ method: 'GET', path: '/swaps?limit=100', headers })
  if (session) await target.request({ method: 'POST', path: '/auth/logout', headers })
  const busy = new Map<string, number>()
  for (const swap of listAt(recent)) {
    const pool = String(at(swap, 'pool'))
    busy.set(pool, (busy.get(pool) ?? 0) + 1)
  }
  const { body: page } = await target.request({ method: 'GET', path: '/pools?limit=50' })
  const pools = listAt(page)
    .map((row) => String(at(row, 'key')))
    .sort((a, b) => (busy.get(b) ?? 0) - (busy.get(a) ?? 0))
  const ofPools = pools.flatMap((key) => [`pool_stats:${key}`, `trades:${key}`, `ohlcv:${key}`])
  const shared = [...ofPools.slice(0, SHARED_ROOMS - 2), 'pool_launches', 'protocol_config']
  const rooms = Array.from({ length: FOREIGN_ROOM }, (_, place) => shared[place] ?? '')
  return [...rooms, `balances:${wallet.address}`]
}

function listAt(body: unknown): unknown[] {
  const rows = at(body, 'data')
  return Array.isArray(rows) ? rows : []
}
