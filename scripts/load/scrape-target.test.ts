import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startStub } from '../../simulator/stub.ts'
import {
  measureMemory,
  parseMetrics,
  summarizeHealth,
  summarizeMemory,
  watchTarget,
} from './scrape-target.ts'

const PATIENCE = { timeout: 20_000 }
const FOREVER = { fromMs: 0, toMs: Number.POSITIVE_INFINITY }

async function serve(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((done) => server.once('listening', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // as: it listens on a port
}

function watch(origin: string, { baseUrl = origin, headers = {} } = {}) {
  const watched = watchTarget({
    profile: { metrics: `${origin}/metrics`, baseUrl, headers },
    ca: null,
    everyMs: 5,
  })
  onTestFinished(watched.stop)
  return watched
}

test('counters become rates, gauges use their maximum', () => {
  const scrapes = [
    { atMs: 0, cpuSeconds: 1, lagMs: 900, queue: 900 },
    { atMs: 1000, cpuSeconds: 1.5, lagMs: 12, queue: 3 },
    { atMs: 2000, cpuSeconds: 2.25, lagMs: null, queue: 7 },
    { atMs: 3000, cpuSeconds: 3, lagMs: 10, queue: 0 },
    { atMs: 4000, cpuSeconds: 9, lagMs: 900, queue: 900 },
  ]
  const health = summarizeHealth(scrapes, { fromMs: 1000, toMs: 3000 })
  expect(health).toEqual({ cpuCores: 0.75, eventLoopLagMs: 12, queueMax: 7 })
  expect(summarizeHealth(scrapes, { fromMs: 5000, toMs: 9000 })).toBeNull()
})

test('a restarted target has no CPU time', () => {
  const scrapes = [9, 1].map((cpuSeconds, atMs) => ({ atMs, cpuSeconds, lagMs: 3, queue: null }))
  expect(summarizeHealth(scrapes, FOREVER)).toEqual({ cpuCores: null, eventLoopLagMs: 3, queueMax: null })
})

test('metrics without any of the figures show no activity', () => {
  const scrapes = [0, 1000].map((atMs) => ({ atMs, cpuSeconds: null, lagMs: null, queue: null }))
  expect(summarizeHealth(scrapes, FOREVER)).toBeNull()
})

test('reads the metrics of the stub at the address in its profile', async () => {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual', serviceRate: 50 })
  onTestFinished(() => stub.close())
  const watched = watchTarget({ profile: stub.profile, ca: null, everyMs: 5 })
  onTestFinished(watched.stop)
  const asked = Array.from({ length: 5 }, () => fetch(`${stub.profile.baseUrl}/fee-tiers`))
  for (const respond of await Promise.all(asked)) await respond.text()
  await expect.poll(() => watched.health(FOREVER)?.queueMax, PATIENCE).toBeGreaterThanOrEqual(1)
  await expect.poll(() => watched.health(FOREVER)?.cpuCores, PATIENCE).toBeGreaterThan(0)
  expect(watched.health(FOREVER)?.eventLoopLagMs).toBeGreaterThanOrEqual(0)
  expect(watched.problem()).toBeNull()
})

test.each([
  ['process_resident_memory_bytes 5000000\nnodejs_heap_size_used_bytes 7\n', 'resident', 5_000_000],
  ['go_memstats_heap_inuse_bytes 3e6\n', 'heap', 3_000_000],
])('reads the memory of the process from %j', async (text, kind, bytes) => {
  const watched = watch(await serve((_request, response) => response.end(text)))
  const times = { opensMs: Date.now() + 60_000, dueMs: 0, endsMs: Number.POSITIVE_INFINITY }
  await expect
    .poll(() => watched.memory(times), PATIENCE)
    .toEqual({ kind, beforeBytes: bytes, afterBytes: bytes })
})

test('reads the metrics of the usual Node library', async () => {
  let asked = 0
  const origin = await serve((_request, response) => {
    asked++
    response.end(`process_cpu_seconds_total ${asked}\nnodejs_eventloop_lag_p99_seconds 0.25\n`)
  })
  const watched = watch(origin)
  await expect.poll(() => watched.health(FOREVER)?.cpuCores, PATIENCE).toBeGreaterThan(0)
  expect(watched.health(FOREVER)).toMatchObject({ eventLoopLagMs: 250, queueMax: null })
})

test.each([
  ['refuses', (_request, response) => response.writeHead(403).end('no'), 'returned 403; expected 200'],
  ['is cut', (_request, response) => response.destroy(), 'socket hang up'],
] satisfies [string, RequestListener, string][])(
  'a target that %s gives no metrics, with the reason',
  async (_, respond, reason) => {
    const origin = await serve(respond)
    const watched = watch(origin)
    await expect.poll(watched.problem, PATIENCE).toBe(`${origin}/metrics: ${reason}`)
    expect(watched.health(FOREVER)).toBeNull()
  },
)

test('sends headers of the profile to the exchange and to no other host', async () => {
  const seen: (string | undefined)[] = []
  const origin = await serve((request, response) => {
    seen.push(request.headers['x-secret'] as string | undefined) // as: sent once
    response.end('a 1\n')
  })
  const headers = { 'x-secret': 'hush' }
  const own = watch(origin, { headers })
  await expect.poll(() => seen.length, PATIENCE).toBeGreaterThan(0)
  own.stop()
  expect(new Set(seen.splice(0))).toEqual(new Set(['hush']))
  watch(origin, { headers, baseUrl: 'http://127.0.0.1:1' })
  await expect.poll(() => seen.length, PATIENCE).toBeGreaterThan(1)
  expect(seen.at(-1)).toBeUndefined()
})

test('without an address nothing is requested', () => {
  const watched = watchTarget({
    profile: { metrics: null, baseUrl: 'http://127.0.0.1:1', headers: {} },
    ca: null,
  })
  expect([watched.health(FOREVER), watched.problem()]).toEqual([null, null])
})

test('parses samples and skips other lines', () => {
  const text = `# HELP a Of something
# TYPE a counter
a 1
b{le="0.5",path="/x} y"} 2.5e3
c{} 3 1395066363000
  d   4  
e NaN
f +Inf
no sample at all
`
  expect(parseMetrics(text)).toEqual([
    { name: 'a', value: 1 },
    { name: 'b{le="0.5",path="/x} y"}', value: 2500 },
    { name: 'c{}', value: 3 },
    { name: 'd', value: 4 },
  ])
})

const scrape = (atMs: number, residentBytes: number | null, heapBytes: number | null = null) => ({
  ...{ atMs, residentBytes, heapBytes },
})
const TIMES = { opensMs: 2000, dueMs: 5000, endsMs: 9000 }

const RESIDENT = [
  ...[scrape(0, 100), scrape(1000, 104), scrape(1999, 101)],
  // While sockets open.
  ...[scrape(2000, 500), scrape(4999, 500)],
  ...[scrape(5000, 140), scrape(7000, 150), scrape(9000, 142)],
  scrape(9001, 500),
]

test('takes the medians before the first socket and once all were due', () => {
  expect(summarizeMemory(RESIDENT, TIMES)).toEqual({ kind: 'resident', beforeBytes: 101, afterBytes: 142 })
})

test('takes the heap if no resident memory is shown', () => {
  const scrapes = RESIDENT.map(({ atMs, residentBytes }) => scrape(atMs, null, residentBytes))
  expect(summarizeMemory(scrapes, TIMES)).toEqual({ kind: 'heap', beforeBytes: 101, afterBytes: 142 })
})

test.each([
  ['nothing before', RESIDENT.slice(3)],
  ['nothing after', RESIDENT.slice(0, 5)],
  ['no memory', RESIDENT.map(({ atMs }) => scrape(atMs, null))],
])('%s is too little', (_, scrapes) => {
  expect(summarizeMemory(scrapes, TIMES)).toBeNull()
})

const OFFERED = { count: 100, openedPerSecond: 100, vus: 5, dueAfterSeconds: 4 }

test('the times are those of the load', () => {
  const watch = { memory: (times: typeof TIMES) => summarizeMemory(RESIDENT, times) }
  expect(measureMemory({ watch, startMs: 1000, endsMs: 9000, offered: OFFERED })).toEqual({
    ...{ kind: 'resident', beforeBytes: 101, afterBytes: 142, sockets: 100 },
  })
  expect(measureMemory({ watch, startMs: null, endsMs: 9000, offered: OFFERED })).toBeUndefined()
  expect(measureMemory({ watch, startMs: 1000, endsMs: 9000, offered: undefined })).toBeUndefined()
})
