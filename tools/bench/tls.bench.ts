import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type K6Measure, type MeasuredScript, measureK6, writeLeanScripts } from './lean-scripts.ts'
import type { LeanReady } from './lean-server.ts'
import { inTurns, spread, startMeasured } from './measuring.ts'

const ROUNDS = 5
const SECONDS = 3
const VUS = 20

const WAYS = ['plain', 'tls', 'http2'] as const
type Way = (typeof WAYS)[number]
const TEXTS: Record<Way, string> = {
  plain: 'plain HTTP',
  tls: 'HTTP/1.1 over TLS',
  http2: 'HTTP/2 over TLS',
}

/**
 * Cost of TLS and HTTP/2 to the load generator: the same requests through the client kit to the same bare server, in turns.
 * Connections stay open, so handshakes hardly count. Server and k6 share the machine, so the rate includes both; the CPU per
 * request is k6's alone.
 */
export async function benchTls({ k6, print }: { k6: string; print: (line: string) => void }): Promise<void> {
  const { process: server, ready } = await startMeasured<object, LeanReady>('tools/bench/lean-server.ts')
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  try {
    const requests = async () => Number(await (await fetch(`http://127.0.0.1:${ready.port}/requests`)).text())
    const scripts = await writeScripts({ folder, ready })
    const scenario = { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` }
    const rounds = await inTurns(WAYS, {
      rounds: ROUNDS,
      measure: (way) => measureK6({ k6, requests }, scripts[way], scenario),
    })
    print(`medians of ${ROUNDS} rounds (minimum to maximum):`)
    for (const way of WAYS) print(`  ${TEXTS[way]}: ${formatFigures(way, rounds)}`)
  } finally {
    server.end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeScripts(options: {
  folder: string
  ready: LeanReady
}): Promise<Record<Way, MeasuredScript>> {
  const { folder, ready } = options
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, ready.ca)
  const writeScript = async (way: Way, url: string): Promise<MeasuredScript> => {
    const own = join(folder, way)
    await mkdir(own)
    const { unread } = await writeLeanScripts({ folder: own, url, ready })
    return { ...unread, env: { ...unread.env, SSL_CERT_FILE: ca } }
  }
  return {
    plain: await writeScript('plain', `http://127.0.0.1:${ready.port}`),
    tls: await writeScript('tls', `https://127.0.0.1:${ready.tlsPort}`),
    http2: await writeScript('http2', `https://127.0.0.1:${ready.http2Port}`),
  }
}

function formatFigures(way: Way, rounds: readonly Record<Way, K6Measure>[]): string {
  const cpuUs = ({ cpuMs, requests }: K6Measure) => (cpuMs * 1000) / requests
  const own = [
    `${spread(rounds.map((round) => round[way].requests / SECONDS))} requests per second`,
    `${spread(rounds.map((round) => cpuUs(round[way])))} µs of CPU per request`,
  ]
  if (way === 'plain') return own.join(', ')
  const rate = spread(rounds.map((round) => round[way].requests / round.plain.requests))
  const cpu = spread(rounds.map((round) => cpuUs(round[way]) / cpuUs(round.plain)))
  return [...own, `relative to plain HTTP: rate ${rate}, CPU per request ${cpu}`].join(', ')
}
