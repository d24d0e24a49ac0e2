import { once } from 'node:events'
import { projectPath } from '../../scripts/project.ts'
import {
  isWrkInstalled,
  type Server,
  spread,
  startServer as start,
  stopServer as stop,
  wrk,
} from './measuring.ts'

const ROUNDS = 5
const SECONDS = 5
const DELAY_SECONDS = 30
/** Prebuilt pages of the bare route, 760 MB: they do not fit into a cache, as the stub's do not. */
const COPIES = 10_000

/**
 * Reads of the stub relative to a bare Fastify route that returns the same from memory, both loaded by wrk: world `wide` with a
 * block per second, without and with journal and observer, in alternating rounds. Then the event loop delay of a stub with
 * `volatile`.
 */
export async function benchRest({ print }: { print: (line: string) => void }): Promise<void> {
  if (!isWrkInstalled()) {
    print('skipped: wrk was not found (Debian package wrk)')
    return
  }
  print(
    `relative to a bare route, medians of ${ROUNDS} rounds of ${SECONDS} s (minimum to maximum); server CPU:`,
  )
  await compareAll('no', print)
  print('the same, with journal and observer:')
  await compareAll('yes', print)
  print(await eventLoopDelay())
}

async function compareAll(observed: 'yes' | 'no', print: (line: string) => void): Promise<void> {
  const stub = await start(STUB, { WORLD: 'wide', OBSERVED: observed })
  try {
    for (const read of READS) print(await compare(stub, read))
  } finally {
    await stop(stub)
  }
}

type Read = {
  name: string
  path: string
  script?: string
  /** The response of the bare route: bytes of a page, those of a random one of COPIES, or an object to serialize. */
  returns: 'bytes' | 'random bytes' | 'object'
  target: number
}

const PAGE = '/explore/pools?limit=100&offset=4200&sort=volume&window=1w'
const READS: readonly Read[] = [
  {
    name: 'random pages of 100 rows',
    path: PAGE,
    script: 'tools/bench/random-pages.lua',
    returns: 'random bytes',
    target: 0.6,
  },
  { name: 'the same page again', path: PAGE, returns: 'bytes', target: 0.75 },
  { name: '/protocol/state', path: '/protocol/state', returns: 'object', target: 0.6 },
]

async function compare(stub: Server, { name, path, script, returns, target }: Read): Promise<string> {
  const body = await (await fetch(`${stub.url}${path}`)).text()
  const bare = await start(BARE, { BODY: body, RETURNS: returns, COPIES: String(COPIES) })
  try {
    const load = (server: Server) =>
      wrk(server, path, { seconds: SECONDS, ...(server === stub && script !== undefined && { script }) })
    const rounds = Array.from({ length: ROUNDS + 1 }, () => ({ ours: load(stub), theirs: load(bare) })).slice(
      1,
    )
    const rates = spread(rounds.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond))
    const costs = spread(rounds.map(({ ours, theirs }) => theirs.cpuUs / ours.cpuUs))
    const [ours, theirs] = [
      spread(rounds.map((r) => r.ours.perSecond)),
      spread(rounds.map((r) => r.theirs.perSecond)),
    ]
    return `  ${name}, ${Buffer.byteLength(body)} bytes: rate ${rates} (target ${target}), by CPU ${costs}; a second: ${ours}, bare ${theirs}`
  } finally {
    await stop(bare)
  }
}

async function eventLoopDelay(): Promise<string> {
  const stub = await start(STUB, { WORLD: 'volatile', DELAY_SECONDS: String(DELAY_SECONDS) })
  try {
    const [line] = await once(stub.process.stdout as NodeJS.ReadableStream, 'data') // as: it is a pipe
    return `  event loop of a stub with \`volatile\`, ${DELAY_SECONDS} s: ${String(line).trim()} (target p99 under 20 ms)`
  } finally {
    await stop(stub)
  }
}

const STUB = `
  import { monitorEventLoopDelay } from 'node:perf_hooks'
  const { startStub } = await import(${JSON.stringify(projectPath('simulator/stub.ts'))})
  const rateLimit = { burst: 1e9, perSecond: 1e9, per: 'address' }
  const observer = process.env.OBSERVED !== 'no'
  const stub = await startStub({ world: process.env.WORLD, seed: 7, mutant: null, pace: 'real', rateLimit, observer })
  console.log(stub.profile.baseUrl)
  const seconds = Number(process.env.DELAY_SECONDS)
  if (seconds > 0) {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    setTimeout(() => {
      const ms = (share) => (delay.percentile(share) / 1e6).toFixed(1) + ' ms'
      console.log('p50 ' + ms(50) + ', p99 ' + ms(99) + ', most ' + ms(100))
    }, seconds * 1000)
  }`

const BARE = `
  const { default: fastify } = await import('fastify')
  const app = fastify()
  const bytes = Buffer.from(process.env.BODY)
  const body = JSON.parse(process.env.BODY)
  const pages = process.env.RETURNS === 'random bytes' ? Number(process.env.COPIES) : 1
  const copies = Array.from({ length: pages }, () => Buffer.from(bytes))
  const page = () => copies[Math.floor(Math.random() * pages)]
  if (process.env.RETURNS === 'object') app.get('/*', () => body)
  else app.get('/*', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(page()))
  console.log(await app.listen({ port: 0, host: '127.0.0.1' }))`
