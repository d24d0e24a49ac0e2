/** Runs a client that is a function of this process against a new stub, both on one virtual clock and without a network. */

import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { type ClientOptions, WebSocket as WsWebSocket } from 'ws'
import type { Profile, Wallet } from '../contract/profile.ts'
import { createRandom } from '../simulator/random.ts'
import { startStub } from '../simulator/stub.ts'
import type { StubOptions } from '../simulator/stub-options.ts'
import { readRun } from './read-run.ts'
import { type HuntWorld, type RunSchedule, toPlan } from './schedule.ts'
import { type ClientTime, createVirtualTime } from './virtual-time.ts'

/** All that a client may use: anything else, such as timers of Node, does not follow the virtual clock. */
export type ClientPorts = Pick<MemoryNetwork, 'fetch' | 'WebSocket'> & {
  profile: Profile
  /** With access and a private key. */
  wallet: Wallet
  /** Belongs to another wallet. */
  apiToken: string
  tools: ClientTime
  /** Aborted at the end of the run. */
  signal: AbortSignal
}

/** Works until `signal` aborts or its work is done. */
export type InProcessClient = (ports: ClientPorts) => void | Promise<void>

/** One way, between client and stub. */
const NETWORK_MS = 20
const BLOCK_INTERVAL_MS = 10_000
/** Turns of the event loop without activity. Within one process, nothing takes as many. */
const QUIET_TURNS = 8

export function createInProcessRunner(client: InProcessClient): RunSchedule {
  const prepare = createPreparation()
  return async (schedule, world) => {
    const { seed, durationMs } = world
    const stub = await startStub(await prepare(world))
    try {
      stub.world.setMining({ mode: 'interval', intervalMs: BLOCK_INTERVAL_MS })
      const { profile, wallets, apiTokens, inProcess } = stub
      const time = createVirtualTime({
        world: stub.world,
        random: createRandom(seed).stream('client').float,
        quietTurns: QUIET_TURNS,
        activity: () => network.deliveries(),
      })
      const network: MemoryNetwork = createMemoryNetwork({
        hosts: [
          {
            address: profile.baseUrl,
            accept: (stream) => void inProcess.exchange.server.emit('connection', stream),
          },
          { address: profile.wsUrl, accept: inProcess.gateway.accept },
        ],
        delay: () => time.tools.pause(NETWORK_MS),
      })
      // The first wallets have the API tokens.
      const wallet = wallets[3]
      const [apiToken] = apiTokens
      if (!wallet || apiToken === undefined) throw new RangeError('the stub has too few wallets')
      const plan = toPlan(schedule, 'Schedule of a hunt')
      if (plan) inProcess.faults.apply(plan)
      const end = new AbortController()
      let clientEnd: string | null = null
      const { fetch, WebSocket } = network
      const ports = { profile, wallet, apiToken, tools: time.tools, fetch, WebSocket, signal: end.signal }
      void Promise.resolve()
        .then(() => client(ports))
        .catch((error: unknown) => {
          clientEnd = error instanceof Error ? error.message : String(error)
        })
      await time.pass(durationMs)
      const result = { ...readRun(stub), clientEnd }
      end.abort()
      network.cutAll()
      return result
    } finally {
      await stub.close()
    }
  }
}

/** Keeps each world after its history: loading it takes half as long as mining it again. */
function createPreparation(): (world: HuntWorld) => Promise<StubOptions> {
  const dumps = new Map<string, Promise<Buffer>>()
  return async ({ world, seed, choices }) => {
    const options: StubOptions = { world, seed, choices, mutant: null, pace: 'manual' }
    const key = JSON.stringify([world, seed, choices])
    const dump = dumps.get(key) ?? dumpStub(options)
    dumps.set(key, dump)
    return { ...options, load: { dump: await dump, source: 'the world of the hunt' } }
  }
}

async function dumpStub(options: StubOptions): Promise<Buffer> {
  const stub = await startStub(options)
  try {
    return stub.world.dump()
  } finally {
    await stub.close()
  }
}

/**
 * HTTP and WebSocket within the process: connections are pairs of streams that never reach the operating system, so the order
 * of everything that happens depends on the program alone.
 */
type MemoryNetwork = {
  fetch: typeof globalThis.fetch
  /** The class of `ws`, which can also be used like that of a browser. */
  WebSocket: typeof WsWebSocket
  /** Number of deliveries so far: it no longer changes once nothing is under way. */
  deliveries(): number
  /** Cuts all connections, as the end of a program does. */
  cutAll(): void
}

type Host = {
  /** Such as `http://127.0.0.1:8080`; the path is ignored. */
  address: string
  /** Takes the exchange's end of a new connection. */
  accept(stream: Duplex): void
}

const LOCAL = '127.0.0.1'
const FIRST_PORT = 40_000

/** Connects a client with these hosts; other addresses are unreachable. `delay` runs before and after each request. */
export function createMemoryNetwork(options: {
  hosts: readonly Host[]
  delay: () => Promise<void>
}): MemoryNetwork {
  const hosts = new Map(options.hosts.map(({ address, accept }) => [parseHost(address), accept]))
  const open = new Set<Duplex>()
  let port = FIRST_PORT
  let delivered = 0

  const connect = (host: string): Duplex => {
    const accept = hosts.get(host)
    if (!accept) throw new Error(`connect ECONNREFUSED ${host}: only the exchange of the hunt is reachable`)
    const { near, far } = pairStreams(() => delivered++)
    open.add(near)
    near.once('close', () => open.delete(near))
    Object.assign(far, { remoteAddress: LOCAL, remotePort: port++ })
    accept(far)
    return near
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const { url, method, headers, signal } = request
      const content = request.body ? Buffer.from(await request.arrayBuffer()) : undefined
      await options.delay()
      signal.throwIfAborted()
      const { host } = new URL(url)
      const sent = httpRequest(url, {
        method,
        headers: Object.fromEntries(headers),
        signal,
        createConnection: () => connect(host),
      })
      sent.end(content)
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        sent.once('response', resolve).once('error', reject),
      )
      const body = await readWhole(response)
      await options.delay()
      return toResponse(response, body)
    },
    WebSocket: createSocketClass(connect),
    deliveries: () => delivered,
    cutAll() {
      for (const stream of open) stream.destroy()
    },
  }
}

function createSocketClass(connect: (host: string) => Duplex): typeof WsWebSocket {
  const socketClass = class extends WsWebSocket {
    constructor(address: string | URL, second?: string | string[] | ClientOptions, third?: ClientOptions) {
      const { host } = new URL(address)
      const isOptions = typeof second === 'object' && !Array.isArray(second)
      super(address, isOptions ? [] : second, {
        ...(isOptions ? second : third),
        perMessageDeflate: false,
        createConnection: () => connect(host),
      })
    }
  }
  // as: it lacks only the form without an address, for the sockets of a server
  return socketClass as typeof WsWebSocket
}

function parseHost(address: string): string {
  return new URL(address).host
}

/** The parts of a TCP socket that servers use. The other end of `resetAndDestroy` reads ECONNRESET. */
type End = Duplex & { resetAndDestroy(): void }

function pairStreams(onDelivery: () => void): { near: End; far: End } {
  const near = createEnd(() => far, onDelivery)
  const far: End = createEnd(() => near, onDelivery)
  return { near, far }
}

function createEnd(other: () => End, onDelivery: () => void): End {
  const deliver = (act: () => void) => {
    onDelivery()
    process.nextTick(act)
  }
  const end = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      deliver(() => {
        if (!other().destroyed) other().push(chunk)
        done()
      })
    },
    final(done) {
      deliver(() => {
        if (!other().destroyed) other().push(null)
        done()
      })
    },
    destroy(error, done) {
      deliver(() => {
        if (!other().destroyed) other().push(null)
      })
      done(error)
    },
  })
  const resetAndDestroy = () => {
    other().destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    end.destroy()
  }
  return Object.assign(end, { resetAndDestroy })
}

async function readWhole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const WITHOUT_BODY = [101, 204, 205, 304]

function toResponse({ statusCode = 0, rawHeaders }: IncomingMessage, body: Buffer): Response {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return new Response(WITHOUT_BODY.includes(statusCode) ? null : new Uint8Array(body), {
    status: statusCode,
    headers,
  })
}
