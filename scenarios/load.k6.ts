// A load: a mix scaled to a rate in an open model, plus a heartbeat that measures the generator's own lag.
import { sleep } from 'k6'
import exec from 'k6/execution'
import type { Options } from 'k6/options'
import type { MixClient } from '../contract/mix.ts'
import { EVERYBODYS_READ, TARGET_CHECK, whyNoExchange } from '../contract/response-bounds.ts'
import type { Target } from '../contract/scenario-config.ts'
import { config, world } from './lib/config.ts'
import { vuRandom } from './lib/duties/k6-tools.ts'
import { type KnownClock, measureClock } from './lib/duties/server-clock.ts'
import { openWebSocket } from './lib/feed/open-web-socket.ts'
import { walletsForLoad } from './lib/identity/wallet.ts'
import { buildOptions, COMMON_OPTIONS } from './lib/lane.ts'
import { holdSockets } from './lib/mix/hold-sockets.ts'
import { drawRestSeconds, drawSeconds } from './lib/mix/mix-chance.ts'
import { liveOnce } from './lib/mix/mix-client.ts'
import { beat, followMixFeed } from './lib/mix/mix-feed.ts'
import { buildLoadScenarios, sumStageSeconds } from './lib/mix/mix-scenarios.ts'
import { createOneShotClient, isOneShot } from './lib/mix/one-shot-client.ts'
import { sendAlone } from './lib/requests/request.ts'
import { after } from './lib/time/pause.ts'

/** Data for every VU: the target's clock, for event delays. */
type Setup = { clock: KnownClock | null }

const FUNCTIONS = { client: 'client', sockets: 'sockets', heartbeat: 'heartbeat' }

export const options = buildOptions(makeOptions)

function makeOptions(): Options {
  const { mix, load } = given()
  return {
    ...COMMON_OPTIONS,
    scenarios: buildLoadScenarios(mix, load, FUNCTIONS),
  }
}

export async function setup(): Promise<Setup> {
  const { mix } = given()
  const hasFeed = mix.clients.some(({ feed }) => feed !== null)
  if (config.checkTarget) await checkTarget(world('main'), { needsFeed: hasFeed })
  return {
    clock: hasFeed ? measureClock(requestDate, { nowMs: Date.now, sleep: (ms) => sleep(ms / 1000) }) : null,
  }
}

function requestDate() {
  const sentMs = Date.now()
  const { date, age } = sendAlone(world('main'), { method: 'GET', path: '/health', unread: true }).headers
  return { sentMs, heardMs: Date.now(), date, age }
}

/** One function per kind of client, cached because most clients of a load send a single request. */
const comings: Record<string, () => void | Promise<void>> = {}

/** Runs one client of the mix; the k6 scenario's environment selects its kind. */
export function client(setup: Setup): void | Promise<void> {
  const name = `${__ENV.BREAKWATER_MIX_CLIENT} ${__ENV.BREAKWATER_MIX_ARRIVES}`
  const come = comings[name] ?? createComing(setup)
  comings[name] = come
  return come()
}

/** Opens this VU's share of a number of sockets, and holds them until the load ends. */
export async function sockets({ clock }: Setup): Promise<void> {
  const { mix, load } = given()
  const mixed = mix.clients.find(({ feed }) => feed !== null)
  if (mixed === undefined || load.sockets == null) throw new Error('the mix or the load has no sockets')
  const target = world('main')
  await holdSockets({
    target,
    client: mixed,
    wallets: mixed.credential === 'session' ? walletsForLoad(target, { withProbes: false }) : [],
    vu: exec.scenario.iterationInTest,
    offered: load.sockets,
    startMs: exec.scenario.startTime,
    seconds: sumStageSeconds(load),
    random: vuRandom,
    clockBefore: clock,
  })
}

export function heartbeat(): void {
  beat({ startMs: exec.scenario.startTime, seconds: sumStageSeconds(given().load) })
}

function createComing({ clock }: Setup): () => void | Promise<void> {
  const { mix, load } = given()
  const mixed = mix.clients.find(({ name }) => name === __ENV.BREAKWATER_MIX_CLIENT)
  if (mixed === undefined) throw new Error('the mix has no such client')
  const target = world('main')
  const shared = {
    target,
    client: mixed,
    // Reading wallets copies all of them into the VU.
    wallets: mixed.credential === 'session' ? walletsForLoad(target, { withProbes: false }) : [],
    number: exec.vu.idInTest,
    random: vuRandom,
  }
  if (isOneShot(mixed)) return createOneShotClient(shared)
  const untilMs = exec.scenario.startTime + sumStageSeconds(load) * 1000
  return () =>
    liveOnce({
      ...shared,
      lifeSeconds: drawLife(mixed),
      untilMs,
      clockBefore: clock,
      followFeed: followMixFeed,
    })
}

function drawLife({ sessionDuration }: MixClient): number {
  return (__ENV.BREAKWATER_MIX_ARRIVES === 'before' ? drawRestSeconds : drawSeconds)(
    sessionDuration,
    vuRandom,
  )
}

function given() {
  const { mix, load } = config
  if (mix === null || load === null)
    throw new Error('no mix or no load: start this with the breakwater command')
  return { mix, load }
}

const FEED_MS = 10_000

/**
 * Repeats the command's target check on the generator: the target responds, is an exchange, and has a feed if
 * clients need one. Aborts the test with TARGET_CHECK if not.
 */
async function checkTarget(target: Target, { needsFeed }: { needsFeed: boolean }): Promise<void> {
  const problem = restProblem(target) ?? (needsFeed ? await feedProblem(target) : undefined)
  if (problem !== undefined) exec.test.abort(TARGET_CHECK.says + problem)
}

function restProblem(target: Target): string | undefined {
  const { baseUrl } = target.profile
  const health = sendAlone(target, { method: 'GET', path: '/health', unread: true })
  if (health.status === 0) return `${baseUrl}: ${health.evidence().trim()}`
  const { status, text } = sendAlone(target, { method: 'GET', path: EVERYBODYS_READ })
  const why = status === 0 ? undefined : whyNoExchange({ status, body: text })
  return why === undefined ? undefined : `${baseUrl}: GET ${EVERYBODYS_READ}: ${why}: that is no exchange`
}

/** Any HTTP response passes: the load judges who may open a socket. */
async function feedProblem(target: Target): Promise<string | undefined> {
  const { socket } = openWebSocket(target)
  const said = await new Promise<string>((resolve) => {
    const timer = after(FEED_MS, () => resolve(`no response in ${FEED_MS / 1000} s`))
    const end = (response: string) => {
      timer.cancel()
      resolve(response)
    }
    socket.onopen = () => {
      socket.close(1000)
      end(BAD_HANDSHAKE)
    }
    socket.onerror = (event) => end(String(event?.error ?? ''))
  })
  return said.includes(BAD_HANDSHAKE) ? undefined : `${socket.url}: ${said}`
}

/** k6's error for a handshake that got an HTTP response. */
const BAD_HANDSHAKE = 'bad handshake'
