import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../client/client.ts'
import type { Tools } from '../../client/time-and-chance.ts'
import { createRandom } from '../../simulator/random.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'
import type { World } from '../../simulator/world/world.ts'

/** From the client to the stub, and back. */
const NETWORK_MS = 20

export type TestBed = {
  stub: Stub
  time: VirtualTime
  /** A client of the stub, on its clock. It is some wallet that has access, unless `as` says who it is. */
  client(options?: Partial<ClientOptions>): Client
  /** Asks the control API. */
  control(path: string, body?: object): Promise<unknown>
  /** What the stub was asked since the last call: `GET /pools 200`. Sockets: `opened`, `closed 1012`. */
  asked(): Promise<string[]>
}

/**
 * A stub with a block each ten seconds of a clock that tests move. Closed with the test. `userAgent` is what clients go by,
 * where that makes a difference.
 */
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

  // Node's fetch takes its time to get ready, which no clock of ours tells of.
  await control('/status')

  return {
    stub,
    time,
    client: (given) =>
      createClient({
        profile: { ...stub.profile, headers: userAgent === undefined ? {} : { 'user-agent': userAgent } },
        as: { wallet },
        tools: time.tools,
        // Nothing is answered in the moment in which it was sent.
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
        // as: what the control API answers
        const { entries } = (await control(`/journal?after=${read}&limit=1000`)) as { entries: Entry[] }
        if (entries.length === 0) return lines
        read = entries.at(-1)?.number ?? read
        lines.push(...entries.flatMap(lineOf))
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

function lineOf({ kind, method, route, status, event, closeCode }: Entry): string[] {
  if (kind === 'request') return [`${method} ${route} ${status}`]
  return kind === 'socket' ? [[event, closeCode].join(' ').trim()] : []
}

/** Turns of the event loop without a sign of life from the client, after which nothing is under way any more. */
const QUIET_TURNS = 60

type VirtualTime = {
  /** For a client: of the stub's own clock. */
  tools: Tools
  /** Lets time pass, from one thing that falls due to the next, each time until all is quiet. */
  pass(ms: number): Promise<void>
  /** Lets time pass until it has settled, but no more than `msMax`. */
  until<Value>(promise: Promise<Value>, msMax?: number): Promise<Value>
}

/**
 * Client and stub on one clock, in one process: nothing sleeps, and a quarter of an hour takes a second. The client asks
 * its tools for whatever it sends and gets, so that it is known when it has nothing to do but wait.
 */
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
  /** Returns how much has passed. */
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
      if (!isSettled) throw new Error(`still not done after ${msMax} ms`)
      return promise
    },
  }
}
