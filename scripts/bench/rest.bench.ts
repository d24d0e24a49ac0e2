import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { projectPath } from '../project-path.ts'
import { spread } from './spread.ts'

const ROUNDS = 5
const SECONDS = 5
const CONNECTIONS = 32
const DELAY_SECONDS = 30

/**
 * Reads of the stub relative to a bare Fastify route that answers the same from memory, asked by wrk in the same way:
 * the world `wide`, a block a second meanwhile. Rounds alternate, so that both meet the same machine. Then how late the
 * event loop of a stub that runs `volatile` is.
 */
export async function benchRest({ print }: { print: (line: string) => void }): Promise<void> {
  if (spawnSync('wrk', ['--version']).error) {
    print('skipped: wrk is not there (Debian package wrk)')
    return
  }
  const stub = await start(STUB, { WORLD: 'wide' })
  try {
    print(
      `relative to a bare route, medians of ${ROUNDS} rounds of ${SECONDS} s (least to most); CPU of the server:`,
    )
    for (const read of READS) print(await compare(stub, read))
  } finally {
    await stop(stub)
  }
  print(await eventLoopDelay())
}

type Read = {
  name: string
  path: string
  script?: string
  /** What the bare route gives Fastify: bytes of a page, an object where it serialises a small answer. */
  returns: 'bytes' | 'object'
  target: number
}

const PAGE = '/explore/pools?limit=100&offset=4200&sort=volume&window=1w'
const READS: readonly Read[] = [
  {
    name: 'random pages of 100 rows',
    path: PAGE,
    script: 'scripts/bench/random-pages.lua',
    returns: 'bytes',
    target: 0.6,
  },
  { name: 'the same page again', path: PAGE, returns: 'bytes', target: 0.75 },
  { name: '/protocol/state', path: '/protocol/state', returns: 'object', target: 0.6 },
]

async function compare(stub: Server, { name, path, script, returns, target }: Read): Promise<string> {
  const body = await (await fetch(`${stub.url}${path}`)).text()
  const bare = await start(BARE, { BODY: body, RETURNS: returns })
  try {
    const load = (server: Server) => wrk(server, path, server === stub ? script : undefined)
    // The first round only warms up.
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

type Server = { process: ChildProcess; pid: number; url: string }

/** Requests a second, and microseconds of the server's CPU for each. */
function wrk(server: Server, path: string, script?: string): { perSecond: number; cpuUs: number } {
  const scripted = script === undefined ? [] : ['-s', projectPath(script)]
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, ...scripted, `${server.url}${path}`]
  const cpuBeforeMs = cpuMs(server.pid)
  const { stdout } = spawnSync('wrk', args, { encoding: 'utf8' })
  const cpuSpentMs = cpuMs(server.pid) - cpuBeforeMs
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  if (!requests || stdout.includes('Non-2xx')) throw new Error(`wrk ${args.join(' ')}: ${stdout}`)
  return { perSecond: requests / SECONDS, cpuUs: (cpuSpentMs * 1000) / requests }
}

/** User and system time of the process so far: fields 14 and 15 of its stat, in ticks of 10 ms (man 5 proc). */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
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

async function start(script: string, env: Record<string, string>): Promise<Server> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: projectPath('.'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { process: child, pid: child.pid ?? 0, url: String(line).trim() }
}

async function stop({ process: child }: Server): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

const STUB = `
  import { monitorEventLoopDelay } from 'node:perf_hooks'
  const { startStub } = await import(${JSON.stringify(projectPath('simulator/stub.ts'))})
  const rateLimit = { burst: 1e9, perSecond: 1e9, per: 'address' }
  const stub = await startStub({ world: process.env.WORLD, seed: 7, mutant: null, pace: 'real', rateLimit })
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
  if (process.env.RETURNS === 'object') app.get('/*', () => body)
  else app.get('/*', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(bytes))
  console.log(await app.listen({ port: 0, host: '127.0.0.1' }))`
