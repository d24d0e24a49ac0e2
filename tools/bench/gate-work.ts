/** A program of bench-gate.ts: does one of WORKS twice and prints the processor time of the second time, in microseconds. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import fastify from 'fastify'
import { RUN_FILES } from '../../contract/run.ts'
import { renderRun } from '../../reports/render-run.ts'
import { startStub } from '../../simulator/stub.ts'
import { swapInRange, swapInRangeBySdk } from './amm.bench.ts'
import { openSwapChain } from './whole-way.bench.ts'

const REQUESTS = 40_000
const AT_A_TIME = 200
const PATH = '/protocol/state'
const RESPONSE = 'HTTP/1.1 200'

/** `BREAKWATER_GATE_RUN` is the folder of a synthetic run. */
const run = process.env.BREAKWATER_GATE_RUN ?? ''

export type Work = keyof typeof WORKS
/** Each prepares its work, which does not count, and returns it. */
const WORKS = {
  'swaps by @uniswap/v3-sdk': () => () => swapInRangeBySdk(20_000),
  'swaps by the AMM': () => () => swapInRange(300_000),
  'swaps of the chain': openChain,
  'lines parsed': () => parseLines,
  'a report': () => () => renderRun({ dir: run }),
  'requests to a bare route': openBareRoute,
  'requests to the stub': openStub,
}

const work = await WORKS[process.argv[2] as Work]() // as: bench-gate.ts passes a name
await work()
const before = process.cpuUsage()
await work()
const { user, system } = process.cpuUsage(before)
console.log(user + system)
process.exit()

function openChain() {
  const chain = openSwapChain('volatile')
  return () => chain.mineSwaps(20_000)
}

async function parseLines(): Promise<void> {
  const input = createReadStream(`${run}/${RUN_FILES.series}`)
  for await (const line of createInterface({ input })) JSON.parse(line)
}

async function openStub() {
  const rateLimit = { burst: 1e9, perSecond: 1e9, per: 'address' } as const
  const { profile } = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual', rateLimit })
  return () => requestMany(profile.baseUrl)
}

async function openBareRoute() {
  const app = fastify()
  const state = { data: { revision: 12, network: 'tiny', paused: false, admin: `bw1${'q'.repeat(58)}` } }
  app.get(PATH, () => state)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return () => requestMany(url)
}

/** Writes requests without waiting for each response, so that the client costs little. */
async function requestMany(url: string): Promise<void> {
  const { status } = await fetch(url + PATH)
  if (status !== 200) throw new Error(`${PATH} returned ${status}`)
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const request = `GET ${PATH} HTTP/1.1\r\nHost: bench\r\n\r\n`
  let rest = ''
  for (let sent = 0; sent < REQUESTS; sent += AT_A_TIME) {
    socket.write(request.repeat(AT_A_TIME))
    for (let responses = 0; responses < AT_A_TIME; ) {
      const [bytes] = await once(socket, 'data')
      const text = rest + String(bytes)
      responses += text.split(RESPONSE).length - 1
      rest = text.slice(1 - RESPONSE.length)
    }
  }
  socket.destroy()
}
