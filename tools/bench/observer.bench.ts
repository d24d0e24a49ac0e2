import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createActivityJournal } from '../../simulator/activity-journal.ts'
import { createClock } from '../../simulator/clock.ts'
import { getClientName } from '../../simulator/observer/client.ts'
import { createObserver } from '../../simulator/observer/observer.ts'
import { isWrkInstalled, type Server, spread, startServer, stopServer, wrk } from './measuring.ts'

const ROUNDS = 5
const SECONDS = 4
const CALLS = 200_000
const TARGET_US = 5

/**
 * Cost of journal and observer per request: in process, then as CPU of a stub with them next to one without, loaded by wrk in
 * turns. Last, their heap after more clients, requests and failures than they keep.
 */
export async function benchObserver({ print }: { print: (line: string) => void }): Promise<void> {
  const inProcess = Array.from({ length: ROUNDS + 1 }, () => callsUs()).slice(1) // the first round is a warm-up
  print(`journal and observer, per request, in process: ${spread(inProcess)} µs (target under ${TARGET_US})`)
  if (isWrkInstalled()) await compareStubs(print)
  else print('a stub with and without: skipped: wrk was not found (Debian package wrk)')
  print(memoryLine())
}

/** Successful requests of one client, the most common case. */
function callsUs(): number {
  const request = createRequester()
  const startMs = performance.now()
  for (let call = 0; call < CALLS; call++)
    request({ client: call % 20, url: URLS[call % URLS.length] ?? '', status: 200 })
  return ((performance.now() - startMs) * 1000) / CALLS
}

const URLS = [
  '/pools?limit=20&offset=40',
  '/explore/pools?limit=20',
  '/protocol/state',
  '/fee-tiers',
  '/swaps',
]

function createRequester() {
  const clock = createClock({ startMs: 0 })
  const journal = createActivityJournal({ clock })
  const observer = createObserver({ clock, journal, leapMsMax: 5000 })
  const send = ({ client, url, status }: { client: number; url: string; status: number }) => {
    clock.advance(1)
    const route = url.split('?')[0] ?? null
    const request = observer.arrived({
      method: 'GET',
      route,
      url,
      arrivedMs: clock.nowMs(),
      remoteAddress: '127.0.0.1',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
      wallet: `bw1${client}`,
      credential: 'session',
      credentialId: `session ${client}`,
      hasCsrfToken: false,
      connection: null,
      isPublic: false,
    })
    const entry = journal.record({
      kind: 'request',
      ref: 'r0000001',
      method: 'GET',
      route,
      status,
      client: getClientName(request.client),
    })
    observer.responded(request, {
      respondedMs: clock.nowMs(),
      status,
      code: null,
      retryAfterMs: status === 429 ? 1000 : null,
      entry,
      servedRevision: null,
      isEmptyPage: false,
      isLastPage: false,
      refusedDigest: null,
      refreshDigest: null,
      deniedWallet: null,
      secretInUrl: null,
      respelledKey: null,
      uncanonical: [],
      alteredMessage: null,
    })
  }
  return send
}

async function compareStubs(print: (line: string) => void): Promise<void> {
  const watched = await startServer(STUB, { WATCHED: 'yes' })
  const unwatched = await startServer(STUB, { WATCHED: '' })
  const request = (server: Server & { more: string }) =>
    wrk(server, '/fee-tiers', { seconds: SECONDS, headers: [`Authorization: Bearer ${server.more}`] })
  try {
    const rounds = Array.from({ length: ROUNDS + 1 }, () => ({
      ours: request(watched),
      theirs: request(unwatched),
    })).slice(1)
    const costs = spread(rounds.map(({ ours, theirs }) => ours.cpuUs - theirs.cpuUs))
    const ratios = spread(rounds.map(({ ours, theirs }) => ours.cpuUs / theirs.cpuUs))
    print(
      `a stub with them next to one without, medians of ${ROUNDS} rounds of ${SECONDS} s: ${costs} µs of CPU more per request (target under ${TARGET_US}), ${ratios} times as much`,
    )
  } finally {
    await Promise.all([stopServer(watched), stopServer(unwatched)])
  }
}

const STUB = `
  const { startStub } = await import(process.cwd() + '/simulator/stub.ts')
  const rateLimit = { burst: 1e9, perSecond: 1e9, per: 'address' }
  const observer = process.env.WATCHED === 'yes'
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real', rateLimit, observer })
  console.log(stub.profile.baseUrl + ' ' + stub.apiTokens[0])`

/** Heap after many failed requests of many clients to different paths, and after twice as many. */
function memoryLine(): string {
  const collectGarbage = garbageCollector()
  collectGarbage()
  const emptyMb = heapMb()
  const request = createRequester()
  const held = [1, 2].map(() => {
    for (let call = 0; call < CALLS; call++)
      request({ client: call % 5000, url: `/pools/${call}`, status: call % 2 === 0 ? 503 : 429 })
    collectGarbage()
    return heapMb() - emptyMb
  })
  const [once = 0, twice = 0] = held
  return `heap after ${CALLS.toLocaleString('en')} failures of 5,000 clients: ${once.toFixed(1)} MB; after twice as many: ${twice.toFixed(1)} MB`
}

function heapMb(): number {
  return process.memoryUsage().heapUsed / 2 ** 20
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void // as: the flag defines it
}
