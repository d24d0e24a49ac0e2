import exec from 'k6/execution'
import { call, done } from 'k6/x/breakwater/history'
import { openFeedSocket } from '../../../client/feed-socket.ts'
import { LIMITS } from '../../../contract/limits.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { followFeed, openK6Wire } from '../client/follow-feed.ts'
import type { Client } from '../client/open-client.ts'
import { k6Tools } from '../duties/k6-tools.ts'
import { pickRevision, pickRows, pickText } from '../pick.ts'
import { type Reply, send } from '../requests/request.ts'
import { pause, within } from '../time/pause.ts'
import { createKey, record, recordFrames } from './record.ts'

/**
 * A socket that joins rooms and leaves some, concurrent reads of the configuration, and a ticket that has expired. `other` is the
 * address of another wallet, if there is one.
 */
export async function cycleFeed(options: { target: Target; client: Client; other: string | undefined }) {
  const { target, client } = options
  await Promise.all([followRooms(options), readMinimums(target, client)])
  await useLateTicket(target, client)
}

const POOLS = 4
const SERVED_MS = 5000
const LISTEN_MS = 1500
/** Longer than the second in which events of a room that was left may still come. */
const LEFT_MS = 3000

async function followRooms(options: {
  target: Target
  client: Client
  other: string | undefined
}): Promise<void> {
  const { target, client, other } = options
  if (target.profile.choices.wsTicket.ticket === null) return
  const pools = await readPools(target)
  const rooms = pools.flatMap((key) => [`trades:${key}`, `pool_stats:${key}`])
  const [kept, left] = [rooms.slice(POOLS), rooms.slice(0, POOLS)]
  const own = client.address === undefined ? [] : [`balances:${client.address}`]
  let served = () => {}
  const isServed = new Promise<void>((resolve) => {
    served = resolve
  })
  const feed = followFeed(client, {
    rooms: [...left, ...kept, ...own],
    refetch: () => served(),
    failuresMax: 1,
    recordSocket: () => recordFrames(target, client.address),
  })
  await within(SERVED_MS, Promise.race([isServed, feed.ended]))
  await pause(LISTEN_MS)
  for (const room of left) feed.leave(room)
  // The join synchronizes, which also confirms that the others are left.
  feed.join('protocol_config')
  await pause(LEFT_MS)
  if (other !== undefined) feed.join(`balances:${other}`)
  await pause(LISTEN_MS)
  await feed.close()
}

let knownPools: string[] = []

/** The pools that a client sees first, so that all clients share their rooms. */
async function readPools(target: Target): Promise<string[]> {
  if (knownPools.length > 0) return knownPools
  const { json } = await send(target, {
    method: 'GET',
    path: '/explore/pools',
    query: { limit: String(POOLS) },
  })
  knownPools = (pickRows(json, 'data') ?? []).map((row) => pickText(row, 'key') ?? '').filter(Boolean)
  return knownPools
}

async function readMinimums(target: Target, client: Client): Promise<void> {
  const read = (query: Record<string, string>) =>
    send(target, {
      method: 'GET',
      path: '/protocol/state',
      query,
      credential: client.credential(),
      provokes: [503],
    })
  const current = readRevision(target, await read({}))
  if (current === undefined) return
  await Promise.all(
    [current, current, current + 1n].map((minimum) =>
      recordMinimum(target, minimum, () => read({ minimum_revision: String(minimum) })),
    ),
  )
}

/** Records a read of the configuration that has to be at least as new as `minimum`. */
export async function recordMinimum(
  target: Target,
  minimum: bigint,
  read: () => Promise<Reply>,
): Promise<Reply> {
  const value = (reply: Reply) => toInteger(readRevision(target, reply))
  const key = `protocol ${exec.vu.idInTest}`
  return await record({ kind: 'P', key, argument: toInteger(minimum), value }, read)
}

function readRevision({ profile }: Target, { json }: Reply): bigint | undefined {
  return pickRevision(json, profile.choices.protocolState.revision)
}

/** The log has no larger numbers. */
function toInteger(revision: bigint | undefined): number {
  return revision === undefined || revision > Number.MAX_SAFE_INTEGER ? -1 : Number(revision)
}

/** Above the 75 seconds after which the check counts a ticket as expired. */
const LATE_MS = (LIMITS.wsTicketSeconds + 16) * 1000
const RESPONSE_MS = 2000
/** The confirmation of a ticket is unspecified: any frame, or silence. */
const QUIET_MS = 1000

/** A ticket that this VU keeps until it has expired. */
let kept: { key: string; token: string; atMs: number } | undefined

async function useLateTicket(target: Target, client: Client): Promise<void> {
  if (kept === undefined) {
    const key = createKey('ticket')
    const credential = client.credential()
    const { json } = await record({ kind: 'K', key }, () =>
      send(target, { method: 'GET', path: '/auth/ws-ticket', credential }),
    )
    const token = pickText(json, target.profile.choices.wsTicket.ticket)
    if (token !== undefined) kept = { key, token, atMs: Date.now() }
  } else if (Date.now() - kept.atMs > LATE_MS) {
    const { key, token } = kept
    kept = undefined
    await authenticateLate(target, { key, token })
  }
}

async function authenticateLate(
  target: Target,
  { key, token }: { key: string; token: string },
): Promise<void> {
  let isSynchronized = false
  const socket = await openFeedSocket({
    openWire: (events) => openK6Wire(target, events),
    tools: k6Tools,
    onText: (text) => {
      isSynchronized ||= text.includes('"synchronized"')
    },
  })
  if (socket === undefined) return
  const id = call('H', key, -1)
  await socket.send({ action: 'authenticate', token })
  await socket.until(() => socket.receivedCount() > 0, QUIET_MS)
  await socket.settled(QUIET_MS)
  await socket.send({ action: 'synchronize' })
  done(id, (await socket.until(() => isSynchronized, RESPONSE_MS)) ? 200 : 401, -1)
  await socket.close()
}
