import type { FeedClientsRequest } from './feed-clients.ts'
import type { FeedServerRequest, Memory, Round, Sender } from './feed-server.ts'
import { type MeasuredProcess, startMeasured } from './measured-process.ts'
import { spread } from './spread.ts'

const SOCKETS = 1000
const ROUNDS = 9
const EVENTS = 300
const EVENT_MS = 10

const WARM_UP = { sockets: 20, events: 2000 }

type Server = MeasuredProcess<FeedServerRequest>
type Clients = MeasuredProcess<FeedClientsRequest>

/**
 * What the feed costs its server, with the clients in a process of their own: memory for an open socket, and processor
 * time for a delivery, beside that of a bare loop which writes the same ready frame to the same sockets, in turns.
 */
export async function benchFeed({ print }: { print: (line: string) => void }): Promise<void> {
  const [server, clients] = await Promise.all([
    startMeasured<FeedServerRequest, { port: number }>('scripts/bench/feed-server.ts'),
    startMeasured<FeedClientsRequest, object>('scripts/bench/feed-clients.ts'),
  ])
  const pair = { server: server.process, clients: clients.process, port: server.ready.port }
  try {
    await measureMemory(pair, print)
    await measureDeliveries(pair, print)
  } finally {
    server.process.end()
    clients.process.end()
  }
}

type Pair = { server: Server; clients: Clients; port: number }

/** Leaves the sockets open. What is loaded and compiled once is no part of a socket, so a few come and go first. */
async function measureMemory(pair: Pair, print: (line: string) => void): Promise<void> {
  await openSockets(pair, WARM_UP.sockets)
  await playRound(pair, 'gateway', WARM_UP.events)
  await pair.clients.ask({ ask: 'close' })
  const empty = await memoryAt(pair, 0)
  await openSockets(pair, SOCKETS)
  const opened = await memoryAt(pair, SOCKETS)
  await playRound(pair, 'gateway', EVENTS)
  const served = await memoryAt(pair, SOCKETS)
  print(`${SOCKETS} sockets, authenticated and subscribed, memory a socket (target 30 KB):`)
  for (const [when, memory] of Object.entries({ opened, 'after a round of events': served })) {
    const kilobytes = (figure: 'heldBytes' | 'residentBytes') =>
      ((memory[figure] - empty[figure]) / SOCKETS / 1000).toFixed(1)
    print(`  ${when}: ${kilobytes('residentBytes')} KB resident, ${kilobytes('heldBytes')} KB of it held`)
  }
}

async function measureDeliveries(pair: Pair, print: (line: string) => void): Promise<void> {
  const micros: Record<Sender, number[]> = { gateway: [], 'bare loop': [] }
  let frameBytes = 0
  // The first two rounds only warm up; then each comes first as often as the other, but for one.
  for (let number = -2; number < ROUNDS; number++) {
    const senders: Sender[] = number % 2 === 0 ? ['gateway', 'bare loop'] : ['bare loop', 'gateway']
    for (const sender of senders) {
      const round = await playRound(pair, sender, EVENTS)
      frameBytes = round.frameBytes
      if (number >= 0) micros[sender].push(round.cpuMicros / round.deliveries)
    }
  }
  const ratios = micros.gateway.map((served, round) => served / (micros['bare loop'][round] ?? Number.NaN))
  print(
    `${1000 / EVENT_MS} events a second of ${frameBytes} bytes to all, ${ROUNDS} rounds of ${EVENTS}; processor time for a delivery:`,
  )
  for (const [sender, values] of Object.entries(micros)) print(`  ${sender}: ${spread(values)} µs`)
  print(`  ratio: ${spread(ratios)} (target 1.4)`)
}

async function openSockets({ server, clients, port }: Pair, count: number): Promise<void> {
  const { tickets, room } = await server.ask<{ tickets: string[]; room: string }>({ ask: 'tickets', count })
  await clients.ask({ ask: 'open', port, tickets, room })
}

async function playRound({ server, clients }: Pair, sender: Sender, events: number): Promise<Round> {
  await clients.ask({ ask: 'received' })
  const round = await server.ask<Round>({ ask: 'round', sender, events, eventMs: EVENT_MS })
  const { dropped, writtenBytes } = round
  let bytes = 0
  while (bytes < writtenBytes && dropped === 0) {
    bytes += (await clients.ask<{ bytes: number }>({ ask: 'received' })).bytes
  }
  if (bytes !== writtenBytes)
    throw new Error(`${bytes} bytes came of ${writtenBytes}; ${dropped} events dropped`)
  return round
}

/** The server learns of closed sockets a little later. */
async function memoryAt({ server }: Pair, sockets: number): Promise<Memory> {
  for (;;) {
    const memory = await server.ask<Memory>({ ask: 'memory' })
    if (memory.sockets === sockets) return memory
  }
}
