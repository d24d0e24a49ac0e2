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
import type { BlockUpdate } from '../../simulator/indexer/views.ts'
import { createRandom } from '../../simulator/random.ts'
import { openWorld } from './open-world.ts'

export type FeedServerRequest =
  | { ask: 'tickets'; count: number }
  | { ask: 'memory' }
  | { ask: 'round'; sender: Sender; events: number; eventMs: number }

export type Sender = 'gateway' | 'bare loop'

/** Processor time, user and system, from the first event until everything is written. */
export type Round = {
  cpuMicros: number
  deliveries: number
  dropped: number
  frameBytes: number
  /** With those of the frame that was looked at first. */
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
const auth = createAuth({ clock: world.clock, random, wallets: [wallet], choices: plain, mutant: null })
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
  mutant: null,
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

const update: BlockUpdate = {
  block: world.views.head(),
  launches: [],
  poolStats: [pool],
  trades: [],
  candles: [],
  balanceChanges: [],
  config: null,
  reorged: 0,
}

async function answer(request: FeedServerRequest): Promise<object> {
  switch (request.ask) {
    case 'tickets':
      return { tickets: tickets(request.count), room: `pool_stats:${pool?.key}` }
    case 'memory':
      return memory()
    case 'round':
      return round(request)
  }
}

function tickets(count: number): string[] {
  const address = wallet?.address ?? ''
  const created = auth.apiTokens.create({ address, name: 'bench', expiresInDays: null })
  if (!created) throw new Error('no more API tokens')
  const { id } = created.info
  return Array.from({ length: count }, () => auth.issueTicket({ kind: 'api-token', id, address }).ticket)
}

function memory(): Memory {
  for (let times = 0; times < 4; times++) collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heldBytes: heapUsed + external, residentBytes: rss, sockets: gateway.sockets().length }
}

type RoundRequest = Extract<FeedServerRequest, { ask: 'round' }>

async function round({ sender, events, eventMs }: RoundRequest): Promise<Round> {
  const frame = readyFrame()
  const send =
    sender === 'gateway'
      ? () => publish(update)
      : () => {
          for (const socket of sockets) socket.write(frame)
        }
  collectGarbage()
  const dropped = droppedEvents()
  const before = process.cpuUsage()
  for (let event = 0; event < events; event++) {
    send()
    await pause(eventMs)
  }
  while ([...sockets].some(({ writableLength }) => writableLength > 0)) await pause(BUFFERS_LOOK_MS)
  const { user, system } = process.cpuUsage(before)
  return {
    cpuMicros: user + system,
    deliveries: events * sockets.size,
    dropped: droppedEvents() - dropped,
    frameBytes: frame.length,
    writtenBytes: (events + 1) * sockets.size * frame.length,
  }
}

/** What the gateway writes for the update, seen on one of its sockets; all get it once more. */
function readyFrame(): Buffer {
  const [socket] = sockets
  if (!socket) throw new Error('no socket is open')
  const chunks: Uint8Array[] = []
  const { write } = socket
  socket.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk as Uint8Array)) // as: a frame is bytes
    return Reflect.apply(write, socket, [chunk, ...rest])
  }
  publish(update)
  socket.write = write
  return Buffer.concat(chunks)
}

function droppedEvents(): number {
  return gateway.sockets().reduce((sum, socket) => sum + socket.droppedEvents, 0)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

process.on('message', async (request: FeedServerRequest) => process.send?.(await answer(request)))
process.once('disconnect', () => process.exit())
process.send?.({ port: await gateway.listen({ host: '127.0.0.1', port: 0 }) })
