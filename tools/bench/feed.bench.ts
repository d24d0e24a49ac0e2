import type { BareFeedRequest } from './bare-feed-server.ts'
import type { FeedClientsRequest } from './feed-clients.ts'
import type { Blocks, FeedServerRequest, Round, Sender, SocketMemory } from './feed-server.ts'
import { type MeasuredProcess, spread, startMeasured } from './measuring.ts'

const SOCKETS = 1000
const FURTHER_SOCKETS = 9000
const ROUNDS = 9
const ROUNDS_OF_ALL = 5

/** 100 events/s: in a block each, or ten per block. */
const EVENTS_APART: Blocks = { count: 300, everyMs: 10, events: 1 }
const EVENTS_TOGETHER: Blocks = { count: 30, everyMs: 100, events: 10 }

/** 10 events/s: with all sockets, 100,000 deliveries/s. */
const EVENTS_TO_ALL: Blocks = { count: 30, everyMs: 100, events: 1 }

/** The bare server sends about as many as an event of the gateway has. */
const FRAME_BYTES = 1025

const FEW_EVENTS: Blocks = { count: 50, everyMs: 50, events: 1 }

/** Polls before giving up, if a socket was closed. */
const IDLE_POLLS_MAX = 10_000

type Pair = {
  server: MeasuredProcess<FeedServerRequest>
  clients: MeasuredProcess<FeedClientsRequest>
  port: number
}

/**
 * The feed's cost to its server, with the clients in another process: memory per socket next to a bare server with as many, and CPU
 * per delivery next to a bare loop that writes the same frames to the same sockets, in turns.
 */
export async function benchFeed({ print }: { print: (line: string) => void }): Promise<void> {
  const [server, clients] = await Promise.all([
    startMeasured<FeedServerRequest, { port: number }>('tools/bench/feed-server.ts'),
    startMeasured<FeedClientsRequest, object>('tools/bench/feed-clients.ts'),
  ])
  const pair = { server: server.process, clients: clients.process, port: server.ready.port }
  try {
    const bare = await measureBareMemory(pair.clients)
    printMemory(await measureMemory(pair), bare, print)
    print(
      `${SOCKETS + FURTHER_SOCKETS} sockets, 10 events/s to each, CPU per delivery, ${ROUNDS_OF_ALL} rounds of 3 s:`,
    )
    await measureDeliveries(pair, { blocks: EVENTS_TO_ALL, rounds: ROUNDS_OF_ALL, target: '', print })
    await pair.clients.send({ do: 'close' })
    await memoryAt(pair.server, 0)
    await openSockets(pair, SOCKETS)
    print(`${SOCKETS} sockets, 100 events/s to each, CPU per delivery, ${ROUNDS} rounds of 3 s:`)
    await measureDeliveries(pair, { blocks: EVENTS_APART, rounds: ROUNDS, target: ' (target 1.4)', print })
    await measureDeliveries(pair, { blocks: EVENTS_TOGETHER, rounds: ROUNDS, target: '', print })
  } finally {
    server.process.end()
    clients.process.end()
  }
}

/** Bytes of an additional socket, so that loaded and compiled code does not count. */
type PerSocket = { held: number; resident: number }

/** Leaves the sockets open. */
async function measureMemory(pair: Pair): Promise<PerSocket> {
  await openSockets(pair, SOCKETS)
  await runRound(pair, 'gateway', EVENTS_APART)
  return measureFurther({
    open: (count) => openSockets(pair, count),
    memory: async (sockets) => {
      await runRound(pair, 'gateway', FEW_EVENTS)
      return memoryAt(pair.server, sockets)
    },
  })
}

/** The same clients and frames with a server of its own, which ends. */
async function measureBareMemory(clients: Pair['clients']): Promise<PerSocket> {
  const bare = await startMeasured<BareFeedRequest, { port: number }>('tools/bench/bare-feed-server.ts')
  const { port } = bare.ready
  const open = (count: number) =>
    clients.send({ do: 'open', port, tickets: Array.from({ length: count }, () => 'bare'), room: 'bare' })
  const round = (blocks: Blocks) => bare.process.send({ do: 'round', blocks, frameBytes: FRAME_BYTES })
  try {
    await open(SOCKETS)
    await round(EVENTS_APART)
    return await measureFurther({
      open,
      memory: async (sockets) => {
        await round(FEW_EVENTS)
        return memoryAt(bare.process, sockets)
      },
    })
  } finally {
    await clients.send({ do: 'close' })
    await clients.send({ do: 'received' })
    bare.process.end()
  }
}

async function measureFurther(server: {
  open: (count: number) => Promise<unknown>
  memory: (sockets: number) => Promise<SocketMemory>
}): Promise<PerSocket> {
  const before = await server.memory(SOCKETS)
  await server.open(FURTHER_SOCKETS)
  const after = await server.memory(SOCKETS + FURTHER_SOCKETS)
  return {
    held: (after.heldBytes - before.heldBytes) / FURTHER_SOCKETS,
    resident: (after.residentBytes - before.residentBytes) / FURTHER_SOCKETS,
  }
}

function printMemory(gateway: PerSocket, bare: PerSocket, print: (line: string) => void): void {
  const kilobytes = ({ held, resident }: PerSocket) =>
    `${(held / 1000).toFixed(1)} KB held, ${(resident / 1000).toFixed(1)} KB resident`
  print(
    `memory per authenticated, subscribed and served socket (target 15 KB), over ${FURTHER_SOCKETS}: ${kilobytes(gateway)}`,
  )
  print(
    `  of a bare server: ${kilobytes(bare)}; ratio ${(gateway.held / bare.held).toFixed(2)} held, ${(gateway.resident / bare.resident).toFixed(2)} resident`,
  )
}

async function measureDeliveries(
  pair: Pair,
  options: { blocks: Blocks; rounds: number; target: string; print: (line: string) => void },
): Promise<void> {
  const { blocks, rounds, target, print } = options
  const micros: Record<Sender, number[]> = { gateway: [], 'bare loop': [] }
  let frameBytes = 0
  // The first two rounds are a warm-up; then the order alternates.
  for (let number = -2; number < rounds; number++) {
    const senders: Sender[] = number % 2 === 0 ? ['gateway', 'bare loop'] : ['bare loop', 'gateway']
    for (const sender of senders) {
      const round = await runRound(pair, sender, blocks)
      frameBytes = round.frameBytes
      if (number >= 0) micros[sender].push(round.cpuMicros / round.deliveries)
    }
  }
  const ratios = micros.gateway.map((served, round) => served / (micros['bare loop'][round] ?? Number.NaN))
  print(`  blocks of ${blocks.events}, ${frameBytes} bytes per event:`)
  for (const [sender, values] of Object.entries(micros)) print(`    ${sender}: ${spread(values)} µs`)
  print(`    ratio: ${spread(ratios)}${target}`)
  print(`    deliveries/s of the gateway on one core: ${spread(micros.gateway.map((one) => 1e6 / one))}`)
}

async function openSockets({ server, clients, port }: Pair, count: number): Promise<void> {
  const { tickets, room } = await server.send<{ tickets: string[]; room: string }>({ do: 'tickets', count })
  await clients.send({ do: 'open', port, tickets, room })
}

async function runRound({ server, clients }: Pair, sender: Sender, blocks: Blocks): Promise<Round> {
  await clients.send({ do: 'received' })
  const round = await server.send<Round>({ do: 'round', sender, blocks })
  const { dropped, writtenBytes } = round
  let bytes = 0
  let idlePolls = 0
  while (bytes < writtenBytes && dropped === 0 && idlePolls < IDLE_POLLS_MAX) {
    const received = (await clients.send<{ bytes: number }>({ do: 'received' })).bytes
    idlePolls = received > 0 ? 0 : idlePolls + 1
    bytes += received
  }
  if (bytes !== writtenBytes)
    throw new Error(`${bytes} bytes came of ${writtenBytes}; ${dropped} events dropped`)
  return round
}

type MemoryServer = { send<Response>(request: { do: 'memory' }): Promise<Response> }

/** The server learns about closed sockets with a delay. */
async function memoryAt(server: MemoryServer, sockets: number): Promise<SocketMemory> {
  for (;;) {
    const memory = await server.send<SocketMemory>({ do: 'memory' })
    if (memory.sockets === sockets) return memory
  }
}
