import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Choices, choicesSchema } from '../../contract/profile.ts'
import type { RuleResult } from '../../contract/report.ts'
import { RULES } from '../../contract/rules.ts'
import type { ChoiceSetName, Target } from '../../contract/scenario-config.ts'
import { judgeRules } from '../../reports/judge-rules.ts'
import { readFindings } from '../../reports/read-findings.ts'
import { type Io, NO_TERMINAL } from '../../scripts/io.ts'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { k6Args } from '../../scripts/k6/k6-args.ts'
import { type K6Run, runK6 } from '../../scripts/k6/run-k6.ts'
import { openIo } from '../../scripts/progress/open-io.ts'
import { projectPath } from '../../scripts/project.ts'
import { withScenarioConfig } from '../../scripts/runs/scenario-config.ts'
import { openWorlds } from '../../scripts/runs/worlds.ts'
import { planSmoke } from '../../scripts/smoke/plan.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

type ProxyFaults = Pick<Parameters<typeof startFaultProxy>[0], 'changeRest' | 'changeFeed'>

/** Many times what a run takes, because several run in parallel. */
const SECONDS_MAX = 600

export type Probed = { run: K6Run; rules: RuleResult[]; notes: string[] }

/** Runs all rules with a fault proxy in front of REST and feed of each world; `change` may replace the scenarios' target. */
export async function probeBehind(options: {
  choices: ChoiceSetName
  seed: number
  rules?: string
  faults: (world: string) => ProxyFaults
  change?: (target: Target) => Target
}): Promise<Probed> {
  const { choices, seed, rules = '*', change = (target) => target } = options
  const io = quietIo()
  const plan = await planSmoke({
    io,
    world: 'tiny',
    seed,
    choices,
    rules,
    load: false,
    maxDuration: SECONDS_MAX,
  })
  const worlds = await openWorlds(plan, io)
  const proxies: FaultProxy[] = []
  const dir = await mkdtemp(join(tmpdir(), 'breakwater-fault-proxy-'))
  try {
    const byName = { ...worlds.byName }
    for (const [name, target] of Object.entries(worlds.byName)) {
      const { baseUrl: rest, wsUrl: feed } = target.profile
      const proxy = await startFaultProxy({ rest, feed, ...options.faults(name) })
      proxies.push(proxy)
      const { baseUrl, wsUrl } = proxy
      byName[name as keyof typeof byName] = change({
        ...target,
        profile: { ...target.profile, baseUrl, wsUrl },
      })
    }
    const binary = await findK6({ env: io.env, k6SourceDir: projectPath('k6'), onProgress: () => {} })
    const run = await withScenarioConfig({ worlds: byName, plan, env: io.env, ca: null }, async (env) =>
      runK6({
        binary,
        args: k6Args({
          script: projectPath('dist/smoke.k6.js'),
          seriesFile: join(dir, 'series.ndjson'),
          findingsFile: join(dir, 'findings.ndjson'),
        }),
        env,
        cwd: projectPath('.'),
        deadlineMs: (SECONDS_MAX + 20) * 1000,
        graceMs: 5000,
        stdoutFile: join(dir, 'stdout'),
        stderrFile: join(dir, 'stderr'),
      }),
    )
    const { findings, notes } = await readFindings(join(dir, 'findings.ndjson'))
    const judged = judgeRules({ selected: plan.rules, findings, catalogue: RULES })
    return { run, rules: judged.rules, notes: [...notes, ...judged.notes] }
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await worlds.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Problems of a run in which no rule may fail. */
export function unexpectedFailures({ run, rules }: Probed): string[] {
  return [
    ...(run.reason === 'finished' && run.exitCode === 0
      ? []
      : [`k6 ended with ${run.meaning} (${run.reason})`]),
    ...rules
      .filter(({ verdict }) => verdict === 'fail')
      .map(({ id, observed, evidence }) => `fail ${id}: ${observed} ${evidence.join(' | ')}`),
    ...brokenProbes(rules),
  ]
}

export function brokenProbes(rules: readonly RuleResult[]): string[] {
  return rules
    .filter(({ reason }) => reason?.includes('the probe broke'))
    .map(({ id, reason }) => `${id}: ${reason}`)
}

function quietIo(): Io {
  return openIo({
    argv: ['smoke'],
    env: process.env,
    cwd: projectPath('.'),
    stdout: () => {},
    stderr: () => {},
    terminal: NO_TERMINAL,
    interrupted: new AbortController().signal,
  })
}

/** Dotted paths of all choices that a profile may omit. */
export function nullableChoices(choices: Choices): string[] {
  return pathsIn(choices).filter((path) => choicesSchema.safeParse(without(choices, [path])).success)
}

export function without(choices: Choices, paths: readonly string[]): Choices {
  const copy = structuredClone(choices)
  for (const path of paths) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const parent = names.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], copy) // as: the paths are its own
    Object.assign(parent as object, { [last]: null })
  }
  return copy
}

function pathsIn(node: object, before = ''): string[] {
  return Object.entries(node).flatMap(([name, value]) => {
    const path = `${before}${name}`
    const isNode = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isNode ? [path, ...pathsIn(value, `${path}.`)] : [path]
  })
}
