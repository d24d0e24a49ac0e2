/** A gateway over a world for feed.bench.ts, in a separate process that is controlled by messages and measures itself. */
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { createAuth } from '../../simulator/auth/auth.ts'
import { demoWallets } from '../../simulator/auth/wallets.ts'
import { defaultChoices } from '../../simulator/choices/default-choices.ts'
import { createGateway } from '../../simulator/gateway/gateway.ts'
import type { BlockUpdate } from '../../simulator/indexer/views/views.ts'
import { createRandom } from '../../simulator/random.ts'
import { garbageCollector, type Memory, measureMemory } from '../test/garbage-collector.ts'
import { openWorld } from './open-world.ts'

export type FeedServerRequest =
  | { do: 'tickets'; count: number }
  | { do: 'memory' }
  | { do: 'round'; sender: Sender; blocks: Blocks }

export type Sender = 'gateway' | 'bare loop'

export type Blocks = { count: number; everyMs: number; events: number }

/** User and system time from the first event until everything is written. */
export type Round = {
  cpuMicros: number
  deliveries: number
  dropped: number
  frameBytes: number
  /** Includes the block that was sampled first. */
  writtenBytes: number
}

export type SocketMemory = Memory & { sockets: number }

const WORLD = 'calm'
const BUFFERS_POLL_MS = 20

const world = openWorld(WORLD)
const random = createRandom(7)
const [wallet] = demoWallets({ random, count: 2 })
const [pool] = world.views.pools({ limit: 1, offset: 0 }).rows
if (!wallet || !pool) throw new Error('the world has no wallet or no pool')
const auth = createAuth({ clock: world.clock, random, wallets: [wallet], choices: defaultChoices })
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
  choices: defaultChoices,
})

// The bare loop writes to the same sockets that the gateway serves.
const sockets = new Set<Socket>()
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket } // as: the channel's message
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})
const collectGarbage = garbageCollector()

const RESPONSES: {
  [Action in FeedServerRequest['do']]: (request: Requested<Action>) => object | Promise<object>
} = { tickets, memory, round }

type Requested<Action> = Extract<FeedServerRequest, { do: Action }>

function tickets({ count }: Requested<'tickets'>) {
  const address = wallet?.address ?? ''
  const created = auth.apiTokens.create({ address, name: 'bench', expiresInDays: null })
  if (!created) throw new Error('no more API tokens')
  const { id } = created.info
  const issue = () => auth.issueTicket({ kind: 'api-token', id, address }).ticket
  return { tickets: Array.from({ length: count }, issue), room: `pool_stats:${pool?.key}` }
}

function memory(): SocketMemory {
  return { ...measureMemory(), sockets: gateway.sockets().length }
}

async function round({ sender, blocks }: Requested<'round'>): Promise<Round> {
  const update = buildUpdate(blocks.events)
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
  while ([...sockets].some(({ writableLength }) => writableLength > 0)) await pause(BUFFERS_POLL_MS)
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

function buildUpdate(events: number): BlockUpdate {
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

/** Captures the frames that the gateway writes for the update on one of its sockets; every socket gets them too. */
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
  const response = RESPONSES[request.do] as (requested: FeedServerRequest) => object // as: each handles its own requests
  process.send?.(await response(request))
})
process.once('disconnect', () => process.exit())
process.send?.({ port: await gateway.listen({ host: '127.0.0.1', port: 0 }) })
