import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../client/client.ts'
import type { Tools } from '../../client/time-and-chance.ts'
import { createRandom } from '../../simulator/random.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import type { World } from '../../simulator/world/world.ts'

/** One way, between client and stub. */
const NETWORK_MS = 20

export type TestBed = {
  stub: Stub
  time: VirtualTime
  /** A client of the stub, on its clock. Uses a wallet with access, unless `as` names another identity. */
  client(options?: Partial<ClientOptions>): Client
  control(path: string, body?: object): Promise<unknown>
  /** The stub's requests since the last call: `GET /pools 200`. Sockets: `opened`, `closed 1012`. */
  asked(): Promise<string[]>
}

/** A stub with a block every ten seconds of a clock that tests move, closed with the test. `userAgent` identifies clients. */
export async function testBed(
  options: Partial<StubOptions> = {},
  { userAgent }: { userAgent?: string | undefined } = {},
): Promise<TestBed> {
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant: null,
    pace: 'manual',
    ...options,
  })
  onTestFinished(() => stub.close())
  stub.world.setMining({ mode: 'interval', intervalMs: 10_000 })
  const time = virtualTime(stub.world)
  const [, wallet] = stub.wallets
  if (!wallet) throw new Error('the stub has no wallets')
  let read = 0

  const control: TestBed['control'] = async (path, body) => {
    const response = await fetch(`${stub.profile.control}${path}`, {
      headers: { authorization: `Bearer ${stub.controlToken}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return response.json()
  }

  // Node's fetch takes real time to initialize, which the virtual clock does not see.
  await control('/status')

  return {
    stub,
    time,
    client: (given) =>
      createClient({
        profile: { ...stub.profile, headers: userAgent === undefined ? {} : { 'user-agent': userAgent } },
        as: { wallet },
        tools: time.tools,
        // No response arrives in the same instant as its request.
        fetch: async (...request) => {
          await time.tools.pause(NETWORK_MS)
          const response = await fetch(...request)
          await time.tools.pause(NETWORK_MS)
          return response
        },
        ...given,
      }),
    control,
    async asked() {
      const lines: string[] = []
      for (;;) {
        // as: the control API's response
        const { entries } = (await control(`/journal?after=${read}&limit=1000`)) as { entries: Entry[] }
        if (entries.length === 0) return lines
        read = entries.at(-1)?.number ?? read
        lines.push(...entries.flatMap(formatEntry))
      }
    },
  }
}

type Entry = {
  number: number
  kind: string
  method: string
  route: string
  status: number
  event: string
  closeCode?: number
}

function formatEntry({ kind, method, route, status, event, closeCode }: Entry): string[] {
  if (kind === 'request') return [`${method} ${route} ${status}`]
  return kind === 'socket' ? [[event, closeCode].join(' ').trim()] : []
}

/** Event loop turns without client activity after which nothing is under way. */
const QUIET_TURNS = 60

type VirtualTime = {
  /** For a client: runs on the stub's clock. */
  tools: Tools
  /** Advances time from one timer to the next, each time until all is quiet. */
  pass(ms: number): Promise<void>
  /** Advances time until the promise settles, by at most `msMax`. */
  until<Value>(promise: Promise<Value>, msMax?: number): Promise<Value>
}

/** Client and stub on one virtual clock: 15 minutes take a second. All client I/O goes through its tools, which shows when it is idle. */
function virtualTime(world: Pick<World, 'clock' | 'advance'>): VirtualTime {
  const { clock } = world
  let signs = 0
  const after: Tools['after'] = (ms, fn) => {
    signs++
    const timer = clock.after(Math.ceil(ms), fn)
    return () => {
      signs++
      timer.cancel()
    }
  }
  const tools: Tools = {
    nowMs() {
      signs++
      return clock.nowMs()
    },
    random: createRandom(7).stream('client').float,
    after,
    pause: (ms) => new Promise((done) => void after(ms, done)),
  }
  const settle = async () => {
    for (let turns = 0, seen = signs; turns < QUIET_TURNS; turns++) {
      await new Promise((done) => setImmediate(done))
      if (seen !== signs) turns = 0
      seen = signs
    }
  }
  const step = async (msMax: number) => {
    const nextMs = (clock.nextAtMs() ?? Number.POSITIVE_INFINITY) - clock.nowMs()
    const ms = Math.min(msMax, Math.max(0, Math.ceil(nextMs)))
    world.advance(ms)
    await settle()
    return ms
  }

  return {
    tools,
    async pass(ms) {
      await settle()
      for (let left = ms; left > 0; ) left -= await step(left)
    },
    async until(promise, msMax = 600_000) {
      let isSettled = false
      const settled = () => {
        isSettled = true
      }
      promise.then(settled, settled)
      await settle()
      for (let left = msMax; !isSettled && left > 0; ) left -= await step(left)
      if (!isSettled) throw new Error(`not settled after ${msMax} ms`)
      return promise
    },
  }
}
