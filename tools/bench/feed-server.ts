/**
 * A gateway over a world, in a process of its own, for feed.bench.ts: does what it is told by messages, and measures
 * itself.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAuth } from '../../simulator/auth/auth.ts'
import { demoWallets } from '../../simulator/auth/wallets.ts'
import { plain } from '../../simulator/choices/plain.ts'
import { createGateway } from '../../simulator/gateway/gateway.ts'
import type { BlockUpdate } from '../../simulator/indexer/views/views.ts'
import { createRandom } from '../../simulator/random.ts'
import { openWorld } from './open-world.ts'

export type FeedServerRequest =
  | { ask: 'tickets'; count: number }
  | { ask: 'memory' }
  | { ask: 'round'; sender: Sender; blocks: Blocks }

export type Sender = 'gateway' | 'bare loop'

/** So many, so many milliseconds apart, with so many events each. */
export type Blocks = { count: number; everyMs: number; events: number }

/** Processor time, user and system, from the first event until everything is written. */
export type Round = {
  cpuMicros: number
  deliveries: number
  dropped: number
  frameBytes: number
  /** With those of the block that was looked at first. */
  writtenBytes: number
}

/** After garbage collection: what is held, and what the system has given. */
export type Memory = { heldBytes: number; residentBytes: number; sockets: number }

const WORLD = 'calm'
const BUFFERS_LOOK_MS = 20

const world = openWorld(WORLD)
const random = createRandom(7)
const [wallet] = demoWallets({ random, count: 2 })
const [pool] = world.views.pools({ limit: 1, offset: 0 }).rows
if (!wallet || !pool) throw new Error('a wallet and a pool are there')
const auth = createAuth({ clock: world.clock, random, wallets: [wallet], choices: plain })
let publish = (_update: BlockUpdate): void => {}
const gateway = createGateway({
  world: {
    views: world.views,
    onBlock(listener) {
      publish = listener
      return () => {}
    },
  },
  auth,
  clock: world.clock,
  choices: plain,
})

// The bare loop writes to the very sockets that the gateway serves.
const sockets = new Set<Socket>()
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket } // as: that is what the channel carries
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void // as: that is what the flag gives

const ANSWERS: { [Ask in FeedServerRequest['ask']]: (request: Requested<Ask>) => object | Promise<object> } =
  { tickets, memory, round }

type Requested<Ask> = Extract<FeedServerRequest, { ask: Ask }>

function tickets({ count }: Requested<'tickets'>) {
  const address = wallet?.address ?? ''
  const created = auth.apiTokens.create({ address, name: 'bench', expiresInDays: null })
  if (!created) throw new Error('no more API tokens')
  const { id } = created.info
  const issue = () => auth.issueTicket({ kind: 'api-token', id, address }).ticket
  return { tickets: Array.from({ length: count }, issue), room: `pool_stats:${pool?.key}` }
}

function memory(): Memory {
  for (let times = 0; times < 4; times++) collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heldBytes: heapUsed + external, residentBytes: rss, sockets: gateway.sockets().length }
}

async function round({ sender, blocks }: Requested<'round'>): Promise<Round> {
  const update = updateOf(blocks.events)
  const frames = readyFrames(update)
  const send =
    sender === 'gateway'
      ? () => publish(update)
      : () => {
          for (const frame of frames) for (const socket of sockets) socket.write(frame)
        }
  collectGarbage()
  const dropped = droppedEvents()
  const before = process.cpuUsage()
  for (let block = 0; block < blocks.count; block++) {
    send()
    await pause(blocks.everyMs)
  }
  while ([...sockets].some(({ writableLength }) => writableLength > 0)) await pause(BUFFERS_LOOK_MS)
  const { user, system } = process.cpuUsage(before)
  const frameBytes = frames[0]?.length ?? 0
  const deliveries = blocks.count * blocks.events * sockets.size
  return {
    cpuMicros: user + system,
    deliveries,
    dropped: droppedEvents() - dropped,
    frameBytes,
    writtenBytes: frameBytes * (deliveries + blocks.events * sockets.size),
  }
}

/** As many events about one pool. */
function updateOf(events: number): BlockUpdate {
  return {
    block: world.views.head(),
    launches: [],
    poolStats: Array.from({ length: events }, () => pool).filter((row) => row !== undefined),
    trades: [],
    candles: [],
    balanceChanges: [],
    config: null,
    reorged: 0,
  }
}

/** What the gateway writes for the update, seen on one of its sockets; all get it once more. */
function readyFrames(update: BlockUpdate): Buffer[] {
  const [socket] = sockets
  if (!socket) throw new Error('no socket is open')
  const frames: Buffer[] = []
  const { write } = socket
  socket.write = (frame: Uint8Array | string, ...rest: unknown[]) => {
    frames.push(Buffer.from(frame as Uint8Array)) // as: a frame is bytes
    return Reflect.apply(write, socket, [frame, ...rest])
  }
  publish(update)
  socket.write = write
  return frames
}

function droppedEvents(): number {
  return gateway.sockets().reduce((sum, socket) => sum + socket.droppedEvents, 0)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

process.on('message', async (request: FeedServerRequest) => {
  const answer = ANSWERS[request.ask] as (asked: FeedServerRequest) => object // as: each takes what asks for it
  process.send?.(await answer(request))
})
process.once('disconnect', () => process.exit())
process.send?.({ port: await gateway.listen({ host: '127.0.0.1', port: 0 }) })
