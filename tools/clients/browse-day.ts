/** A user with the page in two tabs of a real browser, on the clock of the stub. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BrowserContext, CDPSession, Page, Request } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { readRun } from '../../hunt/read-run.ts'
import type { ScheduleRun } from '../../hunt/schedule.ts'
import { createVirtualTime, type VirtualTime } from '../../hunt/virtual-time.ts'
import { JOURNAL_ENTRIES_MAX } from '../../simulator/activity-journal.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import { createRandom } from '../../simulator/random.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { findClient } from './scenes.ts'
import { type ChangePage, openTabs } from './test-browser.ts'

const MINUTE_MS = 60_000
const BLOCK_INTERVAL_MS = 10_000
const TABS = 2
/** Round trips to all tabs without activity, after which nothing is under way. */
const QUIET_TURNS = 6
/** More of them while something is on its way: the browser may be slow, and clients have deadlines. */
const TRIPS_MAX = 500
/** Fewer for one request, which may never end. */
const REQUEST_TRIPS_MAX = 100

type BrowsedDay = Pick<ScheduleRun, 'violations' | 'exercised'> & {
  /** Decisions of faults that were triggered. */
  triggered: number
}

/**
 * Opens the page twice and signs in. The gateway restarts and the chain reorganizes now and then. The user reloads a page that did
 * not load, signs in again when the page shows an error, and signs out in the first tab at the end. The plan starts three times, for
 * faults of its first moments: before the first request, with open sockets, and with sockets that reconnect.
 */
export async function browseDay(options: {
  minutes: number
  plan?: FaultPlan
  change?: ChangePage
}): Promise<BrowsedDay> {
  const { minutes, plan, change } = options
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  stub.world.setMining({ mode: 'interval', intervalMs: BLOCK_INTERVAL_MS })
  const { context, url } = await openTabs({ set: 'default', stub, change, userAgent: findClient(plan) })
  const { faults, gateway, journal } = stub.inProcess
  const startFaults = () => plan && faults.apply(plan)
  const countEvents = watchNetwork(context)
  const isOpening = watchSockets(stub.inProcess)
  const isOnItsWay = watchRequests(context, stub)
  const tabs: Page[] = []
  const sessions: CDPSession[] = []
  // Below `page.evaluate`, which takes three times as long.
  const visitTabs = () =>
    Promise.all(sessions.map((session) => session.send('Runtime.evaluate', { expression: '0' })))
  const time = createVirtualTime({
    world: stub.world,
    random: createRandom(7).stream('client').float,
    quietTurns: QUIET_TURNS,
    activity: () => countEvents() + journal.read({ after: 0, limit: 0 }).last,
    async turn() {
      await visitTabs()
      for (let trips = 0; (isOpening() || isOnItsWay()) && trips < TRIPS_MAX; trips++) await visitTabs()
    },
  })
  await setTimers(context, time)

  startFaults()
  const address = stub.wallets.at(-2)?.address ?? ''
  for (let minute = 0; minute < minutes; minute++) {
    if (tabs.length < TABS) {
      const tab = await context.newPage()
      tabs.push(tab)
      sessions.push(await context.newCDPSession(tab))
      await time.until(tab.goto(url))
    }
    await time.pass(MINUTE_MS / 2)
    for (const tab of tabs) await actOn(tab, { address, time })
    if (minute === TABS) startFaults()
    await time.pass(MINUTE_MS / 2)
    if (minute % 4 === 2) gateway.restart()
    if (minute === 6) startFaults()
    if (minute % 4 === 3) stub.world.reorg(2)
  }
  await tabs[0]?.locator('#sign-out').click()
  await time.pass(MINUTE_MS)

  const { violations, exercised, entries } = readRun(stub)
  const triggered = entries.filter((entry) => entry.kind === 'fault' && entry.triggered).length
  return { violations, exercised, triggered }
}

/** Gives pages timers of the stub's clock, instead of the browser's. */
async function setTimers(context: BrowserContext, { tools }: VirtualTime): Promise<void> {
  await context.exposeFunction('pauseStub', tools.pause)
  await context.addInitScript(`(() => {
    let last = 0
    const active = new Set()
    const start = (run, ms, repeats) => {
      const id = ++last
      active.add(id)
      const wait = async () => {
        await pauseStub(ms)
        if (!active.has(id)) return
        if (repeats) wait()
        else active.delete(id)
        run()
      }
      wait()
      return id
    }
    globalThis.setTimeout = (run, ms = 0) => start(run, ms, false)
    globalThis.setInterval = (run, ms = 0) => start(run, ms, true)
    globalThis.clearTimeout = globalThis.clearInterval = (id) => void active.delete(id)
  })()`)
}

/** Returns a function that counts the requests, responses and frames of all tabs. */
function watchNetwork(context: BrowserContext): () => number {
  let events = 0
  const count = () => {
    events++
  }
  context.on('request', count).on('response', count).on('requestfinished', count).on('requestfailed', count)
  context.on('page', (page) => {
    page.on('websocket', (socket) => {
      count()
      socket.on('framesent', count).on('framereceived', count).on('close', count)
    })
  })
  return () => events
}

/**
 * Returns a function that finds out whether a request or its response is between a page and the stub. A request that ends unseen,
 * such as one of a page that is reloaded, counts for some time only.
 */
function watchRequests(context: BrowserContext, { inProcess, profile }: Stub): () => boolean {
  const sent = new Map<Request, number>()
  const held = new Set<IncomingMessage>()
  context.on('request', (request) => void (request.url().startsWith(profile.baseUrl) && sent.set(request, 0)))
  const end = (request: Request) => void sent.delete(request)
  context.on('requestfinished', end).on('requestfailed', end)
  inProcess.exchange.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Pages do not see the preflight requests of the browser.
    if (request.method === 'OPTIONS') return
    held.add(request)
    response.on('close', () => held.delete(request))
  })
  return () => {
    if (sent.size <= held.size) return false
    for (const [request, trips] of sent) {
      if (trips < REQUEST_TRIPS_MAX) sent.set(request, trips + 1)
      else sent.delete(request)
    }
    return true
  }
}

/** Returns a function that finds out whether a socket is open for the stub, but maybe not yet for its page. */
function watchSockets({ journal }: Stub['inProcess']): () => boolean {
  const opening = new Set<number>()
  let read = 0
  return () => {
    const { entries, last } = journal.read({ after: read, limit: JOURNAL_ENTRIES_MAX })
    read = last
    for (const entry of entries) {
      if (entry.kind !== 'socket') continue
      if (entry.event === 'opened') opening.add(entry.socket)
      else opening.delete(entry.socket)
    }
    return opening.size > 0
  }
}

async function actOn(tab: Page, { address, time }: { address: string; time: VirtualTime }): Promise<void> {
  const status = await tab.locator('#status').textContent()
  if (status === 'loading' || status === 'signed in, live') return
  // Empty if its first requests failed.
  if (status === '') await time.until(tab.reload())
  else {
    await tab.locator('#wallet').selectOption(address)
    await tab.locator('#sign-in').click()
  }
}
