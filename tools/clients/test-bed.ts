import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../client/client.ts'
import { createVirtualTime, type VirtualTime } from '../../hunt/virtual-time.ts'
import { createRandom } from '../../simulator/random.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import type { StubOptions } from '../../simulator/stub-options.ts'

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
  const time = createVirtualTime({
    world: stub.world,
    random: createRandom(7).stream('client').float,
    quietTurns: QUIET_TURNS,
  })
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

/** Event loop turns without client activity after which nothing is under way. Sockets of the system take their time. */
const QUIET_TURNS = 60
