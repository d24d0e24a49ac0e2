import { ruleById } from '../../contract/rules.ts'
import type { Target, WorldName } from '../../contract/scenario-config.ts'
import { config, world } from './config.ts'
import { endReadSessions } from './credential.ts'
import { emitFinding } from './emit-finding.ts'
import { closeFeeds } from './feed.ts'
import { type Judge, judgeProbe } from './judge.ts'
import { mustBeAnExchange } from './must-be-an-exchange.ts'
import { watch } from './watch.ts'

/** One probe: the rules it judges, the world it needs, and how it looks. */
export type Probe = {
  rules: readonly string[]
  world: WorldName
  run: (target: Target, judge: Judge) => Promise<void>
}

/** Runs the probes one after another; those of which no rule is asked for are left out. */
export async function runProbes(scenario: string, probes: readonly Probe[]): Promise<void> {
  watch.on = true
  for (const probe of probes) await runProbe(scenario, probe)
  await leaveNothing(scenario)
}

/** Runs the probes side by side: for those that only wait. */
export async function runProbesTogether(scenario: string, probes: readonly Probe[]): Promise<void> {
  watch.on = true
  await Promise.all(probes.map((probe) => runProbe(scenario, probe)))
  await leaveNothing(scenario)
}

async function leaveNothing(scenario: string): Promise<void> {
  closeFeeds()
  await endReadSessions()
  const found = watch.takeFound()
  if (found.length > 0) await runProbe(scenario, secretsSeen(found))
}

/** Any lane may come upon a secret in an address; that there was none is for the probe of the rule to say. */
function secretsSeen(found: readonly string[]): Probe {
  const rule = 'auth.secrets.not-in-urls'
  return { rules: [rule], world: 'main', run: async (_, judge) => judge.fail(rule, found.join('; ')) }
}

async function runProbe(scenario: string, probe: Probe): Promise<void> {
  const rules = probe.rules.filter((rule) => config.rules.includes(rule))
  if (rules.length === 0) return
  const target = world(probe.world)
  await judgeProbe({
    rules,
    scenario,
    expectedOf: (rule) => ruleById(rule)?.expected ?? '',
    run: async (judge) => {
      await mustBeAnExchange(target)
      await probe.run(target, judge)
    },
    nowMs: Date.now,
    emit: emitFinding,
  })
}
