import exec from 'k6/execution'
import { ruleById } from '../../../contract/rules.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { config, world } from '../config.ts'
import { closeFeeds } from '../feed/feed.ts'
import { endReadSessions } from '../identity/credential.ts'
import { aloneInTheWorld } from '../probe/alone.ts'
import { emitFinding } from '../probe/emit-finding.ts'
import { takeShare } from '../probe/one-vu.ts'
import { mustBeAnExchange } from '../requests/must-be-an-exchange.ts'
import { EXCHANGE, isOrdered, tell } from '../story/timeline.ts'
import { hasControl } from '../time/has-control.ts'
import { withinTime } from '../time/time-left.ts'
import { type Judge, judgeProbe } from '../verdict/judge.ts'
import { control } from '../world/control.ts'
import { beginNews, followNews, tellNews } from '../world/news.ts'
import { quiet } from '../world/quiet.ts'
import { tellRequests } from '../world/request-story.ts'

/**
 * Plays a case: runs its story with the judge of its rules, tells the timeline what the exchange made of it, and leaves
 * nothing open. Each rule gets a verdict, `inconclusive` where the story leaves it open or throws.
 */
export async function play(rules: readonly string[], story: (judge: Judge) => Promise<void>): Promise<void> {
  const target = { ...world('main'), actor: EXCHANGE }
  takeShare()
  tellRequests()
  const news = isOrdered ? undefined : followNews(target)
  await judgeProbe({
    rules: rules.filter((rule) => config.rules.includes(rule)),
    expectedOf: (rule) => ruleById(rule)?.expected ?? '',
    run: (judge) =>
      withinTime(async () => {
        await beginNews(target)
        if (config.given) await mustBeAnExchange(target)
        await putBack(target, () => story(faultsAreMissing() ? withoutFaults(judge) : judge))
        if (config.repro?.faults && !begun) throw new Error('the story never began the faults of its case')
      }),
    scenario: exec.scenario.name,
    nowMs: Date.now,
    emit: emitFinding,
  })
  await leaveNothing()
  news?.stop()
  await quiet(target)
  await tellNews(target)
}

async function leaveNothing(): Promise<void> {
  await endReadSessions()
  await closeFeeds()
}

/** A world that others use too is left as it was found. */
async function putBack(target: Target, run: () => Promise<void>): Promise<void> {
  if (!config.given || !hasControl(target)) return run()
  const putAway = async () => {
    await leaveNothing()
    if (begun) await endFaults()
  }
  await aloneInTheWorld(target, { world: 'clock', run, putAway })
}

let begun = false

/** Lets the faults of the case begin: what goes wrong goes wrong from here on. */
export async function beginFaults(): Promise<void> {
  const faults = config.repro?.faults
  if (!faults) throw new Error('the case names no faults')
  begun = true
  if (faultsAreMissing()) tell({ actor: EXCHANGE }, 'step', WITHOUT)
  else await control(world('main'), '/faults', faults.plan, `the faults of ${faults.name} begin`)
}

/** Ends them, and undoes what they hold. */
export async function endFaults(): Promise<void> {
  if (!faultsAreMissing()) await control(world('main'), '/faults/clear', {}, 'the faults end')
}

const WITHOUT = 'the faults of the case take a control API, and the target has none: they are left out'

function faultsAreMissing(): boolean {
  return config.repro?.faults != null && !hasControl(world('main'))
}

/** What broke without them is broken; what held has not been tried. */
function withoutFaults(judge: Judge): Judge {
  const doubt = (rule: string) => judge.inconclusive(rule, WITHOUT)
  return {
    ...judge,
    pass: doubt,
    that: (rule, holds, observed, evidence) => (holds ? doubt(rule) : judge.fail(rule, observed, evidence)),
  }
}
