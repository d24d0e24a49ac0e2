/** Runs a client that is a function of this process against a new stub, both on one virtual clock and without a network. */
import type { Profile, Wallet } from '../contract/profile.ts'
import { createRandom } from '../simulator/random.ts'
import { startStub } from '../simulator/stub.ts'
import type { StubOptions } from '../simulator/stub-options.ts'
import { createMemoryNetwork, type MemoryNetwork } from './memory-network.ts'
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
