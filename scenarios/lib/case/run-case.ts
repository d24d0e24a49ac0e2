/** Runs a case, with its faults, actors, steps and outcomes. */
import exec from 'k6/execution'
import type { Target } from '../../../contract/scenario-config.ts'
import { config, judgedRule, world } from '../config.ts'
import { closeFeeds } from '../feed/feed.ts'
import { endReadSessions } from '../identity/credential.ts'
import { pickRows } from '../pick.ts'
import { aloneInTheWorld } from '../probe/alone.ts'
import { emitFinding } from '../probe/emit-finding.ts'
import { takeShare } from '../probe/one-vu.ts'
import { mustBeAnExchange } from '../requests/must-be-served.ts'
import { hasControl } from '../time/has-control.ts'
import { pause, withinTime } from '../time/pause.ts'
import { beginRace, EXCHANGE, isOrdered, recordEntry } from '../timeline.ts'
import { CannotJudge, type Judge, judgeProbe } from '../verdict/judge.ts'
import { control } from '../world/control.ts'
import { beginNews, callControl, followNews, quiet, recordNews, recordRequests } from '../world/news.ts'

/**
 * Runs a case: its story with a judge for its rules, then cleanup. Rules that the story leaves open, or that
 * it throws on, are inconclusive.
 */
export async function runCase(
  rules: readonly string[],
  story: (judge: Judge) => Promise<void>,
): Promise<void> {
  const target = { ...world('main'), actor: EXCHANGE }
  takeShare()
  recordRequests()
  const news = isOrdered ? undefined : followNews(target)
  await judgeProbe({
    rules: rules.filter((rule) => config.rules.includes(rule)),
    getExpected: (rule) => judgedRule(rule)?.expected ?? '',
    run: (judge) =>
      withinTime(async () => {
        await beginNews(target)
        if (config.given) await mustBeAnExchange(target)
        await putBack(target, () => story(faultsAreMissing() ? withoutFaults(judge) : judge))
        if (config.repro?.faults && !begun) throw new Error('the story never started the faults of its case')
      }),
    scenario: exec.scenario.name,
    nowMs: Date.now,
    emit: emitFinding,
  })
  await leaveNothing()
  news?.stop()
  await quiet(target)
  await recordNews(target)
}

async function leaveNothing(): Promise<void> {
  await endReadSessions()
  await closeFeeds()
}

/** Restores a world that others share. */
async function putBack(target: Target, run: () => Promise<void>): Promise<void> {
  if (!config.given || !hasControl(target)) return run()
  const putAway = async () => {
    await leaveNothing()
    if (begun) await endFaults()
  }
  await aloneInTheWorld(target, { world: 'clock', run, putAway })
}

let begun = false

export async function beginFaults(): Promise<void> {
  const faults = config.repro?.faults
  if (!faults) throw new Error('the case has no faults')
  begun = true
  if (faultsAreMissing()) recordEntry({ actor: EXCHANGE }, 'step', WITHOUT)
  else await control(world('main'), '/faults', faults.plan, `the faults of ${faults.name} begin`)
}

/** Ends the faults and releases the responses that they hold. */
export async function endFaults(): Promise<void> {
  if (!faultsAreMissing()) await control(world('main'), '/faults/clear', {}, 'the faults end')
}

const WITHOUT = 'the faults of the case need a control API, and the target has none: they were skipped'

function faultsAreMissing(): boolean {
  return config.repro?.faults != null && !hasControl(world('main'))
}

/** A failure without the faults counts; a pass does not, because the faulty situation never occurred. */
function withoutFaults(judge: Judge): Judge {
  const leaveOpen = (rule: string) => judge.inconclusive(rule, WITHOUT)
  return {
    ...judge,
    pass: leaveOpen,
    that: (rule, holds, observed, evidence) =>
      holds ? leaveOpen(rule) : judge.fail(rule, observed, evidence),
  }
}

const POLLS_MAX = 500
const POLL_EVERY_MS = 10

/** Waits until an injected fault has triggered, so the requests it affects have reached the exchange. */
export async function awaitTriggeredFault(target: Target): Promise<void> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const faults = pickRows(await callControl(target, { method: 'GET', path: '/faults' }), 'faults') ?? []
    if (faults.some(({ triggered }) => typeof triggered === 'number' && triggered > 0)) return
    await pause(POLL_EVERY_MS)
  }
  throw new CannotJudge('no fault was triggered by the requests')
}

/** A client of the case. Everything sent with this target appears in its lane of the timeline. */
export function actor(name: string): Target {
  const target = world('main')
  const { profile } = target
  // Lets the exchange, its faults and its observer distinguish clients that share an address.
  const headers = { 'User-Agent': `breakwater-repro ${name}`, ...profile.headers }
  return { ...target, profile: { ...profile, headers }, actor: name }
}

/** A tab of that browser: a client of its own in the timeline, but the same program for the exchange and its observer. */
export function tab(browser: Target, name: string): Target {
  return { ...browser, actor: name }
}

/** Records the next step of the story after all events of the previous step have arrived. */
export async function step(text: string): Promise<void> {
  const target = world('main')
  await quiet(target)
  if (!isOrdered) await recordNews(target)
  recordEntry({ actor: EXCHANGE }, 'step', text)
}

export function outcome({ actor: name }: Target, text: string): void {
  recordEntry({ actor: name ?? '' }, 'outcome', text)
}

function parameters(): Readonly<Record<string, number | string>> {
  return config.repro?.parameters ?? {}
}

/** Throws if the case has no number with that name. */
export function readNumber(name: string): number {
  const value = parameters()[name]
  if (typeof value !== 'number') throw new Error(`the case has no numeric parameter ${name}`)
  return value
}

export type Ending = { won: boolean; text: string }

/**
 * Runs all contestants concurrently. The recorded timeline renames them to `winner` and `loser-1`, so each
 * contestant must log its whole part inside `run`.
 */
export async function race(
  names: readonly string[],
  run: (contestant: Target, place: number) => Promise<Ending>,
): Promise<void> {
  await quiet(world('main'))
  const contestants = names.map(actor)
  const { end } = beginRace(names)
  try {
    await Promise.all(
      contestants.map(async (contestant, place) => {
        const { won, text } = await run(contestant, place)
        recordEntry(contestant, 'outcome', text, { place: won ? 'winner' : 'loser' })
      }),
    )
  } finally {
    end()
  }
}
