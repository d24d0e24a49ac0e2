import type { Target, WorldName } from '../../../contract/scenario-config.ts'
import { config, judgedRule, world } from '../config.ts'
import { closeFeeds } from '../feed/feed.ts'
import { endReadSessions, readCredential } from '../identity/credential.ts'
import { endTurn, sharesWallets, signInByTurns } from '../identity/shared-wallets.ts'
import { mustBeAnExchange } from '../requests/must-be-served.ts'
import { confirmErrors, send } from '../requests/request.ts'
import { beginWatch, SECRET_RULES, watch } from '../requests/watch-secrets.ts'
import { hasControl } from '../time/has-control.ts'
import { pause, within, withinTime } from '../time/pause.ts'
import { isRecording } from '../timeline.ts'
import { CannotProbe, type Judge, judgeProbe, waitsFor } from '../verdict/judge.ts'
import { recordRequests } from '../world/news.ts'
import { aloneInTheWorld } from './alone.ts'
import { createConfirm } from './confirm-errors.ts'
import { emitFinding } from './emit-finding.ts'
import { takeShare } from './one-vu.ts'
import { createRetryCheck } from './retry-check.ts'
import { buildErrorBodyProbe, watchErrors } from './watch-errors.ts'
import { buildRecordProbes, watchRecords } from './watch-records.ts'

export type Probe = {
  rules: readonly string[]
  world: WorldName
  /** Ends every session of its wallet, so it runs first if wallets are shared. */
  endsSessions?: true
  /** Sends as much as a load test, to reach a limit. */
  load?: true
  run: (target: Target, judge: Judge) => Promise<void>
}

/** Runs the probes sequentially, without those whose rules are not selected. */
export async function runProbes(scenario: string, probes: readonly Probe[]): Promise<void> {
  await asLane(scenario, probes, async (mine) => {
    for (const probe of mine) await runProbe(scenario, probe)
  })
}

/** Runs the probes concurrently: for those that mostly wait. */
export async function runProbesTogether(scenario: string, probes: readonly Probe[]): Promise<void> {
  await asLane(scenario, probes, async (mine) => {
    await Promise.all(mine.map((probe) => runProbe(scenario, probe)))
  })
}

/** Active lanes of this VU; the last one cleans up what they share. */
let lanesAtWork = 0
/** Completes after the probes that would end other probes' sessions. */
let goingFirst = Promise.resolve()
let signedInForReads: Promise<unknown> | undefined

async function asLane(
  scenario: string,
  probes: readonly Probe[],
  work: (probes: readonly Probe[]) => Promise<void>,
): Promise<void> {
  lanesAtWork++
  takeShare()
  beginWatch()
  startConfirmingErrors()
  watchErrors()
  watchRecords()
  if (isRecording) recordRequests()
  const mine = probes.filter(({ rules }) => rules.some((rule) => config.rules.includes(rule)))
  const shared = sharesWallets(world('main'))
  const first = shared ? mine.filter(({ endsSessions }) => endsSessions) : []
  for (const probe of first) goingFirst = goingFirst.then(() => runProbe(scenario, probe))
  if (shared) {
    // Lanes of one VU start together; after this tick each has queued its probes that go first.
    await Promise.resolve()
    await goingFirst
    // Sign in before other lanes wait for their sign-in turn, which would deadlock.
    signedInForReads ??= readCredential(world('main')).catch(() => undefined)
    await signedInForReads
  }
  await work(mine.filter((probe) => !first.includes(probe)))
  lanesAtWork--
  if (lanesAtWork > 0) return
  await leaveNothing()
  const found = watch.takeFound()
  for (const [rule, place] of Object.entries(SECRET_RULES))
    if (found[place].length > 0) await runProbe(scenario, buildSecretProbe(rule, found[place]))
  const badErrors = buildErrorBodyProbe()
  if (badErrors !== undefined) await runProbe(scenario, badErrors)
  for (const wrong of buildRecordProbes()) await runProbe(scenario, wrong)
}

/** Limits the wait for a witness credential: signing in may be what fails. */
const CREDENTIAL_MS = 5000
let isConfirmingErrors = false

/** Installs error confirmation, once per VU, because its lanes share one budget. */
function startConfirmingErrors(): void {
  if (isConfirmingErrors) return
  isConfirmingErrors = true
  const knownGood = (target: Target) => within(CREDENTIAL_MS, readCredential(target)).catch(() => undefined)
  confirmErrors(createConfirm({ send, knownGood, tools: { nowMs: Date.now, pause } }))
}

async function leaveNothing(): Promise<void> {
  await closeFeeds()
  await endReadSessions()
}

/** Any lane may find a misplaced secret; the rules' own probe decides that none leaked. */
function buildSecretProbe(rule: string, found: readonly string[]): Probe {
  return { rules: [rule], world: 'main', run: async (_, judge) => judge.fail(rule, found.join('; ')) }
}

async function runProbe(scenario: string, probe: Probe): Promise<void> {
  const rules = probe.rules.filter((rule) => config.rules.includes(rule))
  if (rules.length === 0) return
  // A separate object identifies the probe to shared state.
  const target = { ...world(probe.world), actor: `${scenario} probes` }
  waitsFor(target, rules)
  if (sharesWallets(target)) signInByTurns(target, takesMoments(target, rules) ? 'probe' : 'sign-in')
  const run = (judge: Judge) => withinTime(() => runAllowed(target, probe, judge))
  await judgeProbe({
    rules,
    scenario,
    getExpected: (rule) => judgedRule(rule)?.expected ?? '',
    run: (judge) =>
      config.given && hasControl(target)
        ? aloneInTheWorld(target, { world: probe.world, run: () => run(judge), putAway: leaveNothing })
        : run(judge),
    nowMs: Date.now,
    emit: emitFinding,
    again: createRetryCheck(target),
  })
  endTurn(target)
}

async function runAllowed(target: Target, probe: Probe, judge: Judge): Promise<void> {
  if (probe.load && config.refuses.load !== null) throw new CannotProbe(config.refuses.load, 'load')
  await mustBeAnExchange(target)
  await probe.run(target, judge)
}

function takesMoments(target: Target, rules: readonly string[]): boolean {
  return hasControl(target) || rules.every((rule) => judgedRule(rule)?.takes === 'moments')
}
