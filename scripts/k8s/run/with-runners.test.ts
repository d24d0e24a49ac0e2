// Trials of a search in a fake cluster: what they create, measure and leave.
import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TrialFacts, TrialResult } from '../../../contract/capacity.ts'
import { SYNTHETIC_START } from '../../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../../tools/test/written-io.ts'
import { type WantedLoad, withTrials } from '../../load/with-trials.ts'
import { openRunFolder } from '../../runs/run-folder.ts'
import { oneTarget } from '../../runs/worlds.ts'
import { SEEN, type Seen } from '../diagnose/test-seen.ts'
import { plannedSearch } from '../test-cluster-plan.ts'
import { fakeCluster, measuredFiles, RUN_ENDED } from './test-fake-cluster.ts'
import { withRunners } from './with-runners.ts'

const { LOSING_NODE, NEVER_PULLED, POD_DELETED, UNDER_WAY } = SEEN
const MS_MAX = { timeout: 60_000 }

const TRIAL: WantedLoad = {
  judged: [{ phase: 'search', axis: 'rate', rate: 80, rateFrom: null, warmUpSeconds: 2, seconds: 5 }],
  stages: [{ seconds: 7, rate: 80 }],
  rateFrom: 80,
  why: 'ramping up',
  pauseSeconds: 0,
  endsHopeless: true,
}

/** Runs trials at one rate, each with the states that `seen` lists for its TestRun. */
async function runTrials(
  count: number,
  seen: (testRun: string) => readonly Seen[],
  { onLook = () => {} }: { onLook?: (interrupt: () => void) => void } = {},
) {
  const plan = await plannedSearch({ name: 'run', parallelism: 2 })
  const { io, written, interrupt } = writtenIo()
  const dir = await measuredFiles(...Array.from({ length: count }, (_, index) => `run-t${index + 1}`))
  const fake = fakeCluster({ seen, dir, onLook: () => onLook(interrupt) })
  const out = join(temporaryFolder(), 'out')
  const worlds = oneTarget(plan.target)
  const run = async () => {
    let results: readonly TrialResult[] = []
    const version = await withRunners(plan, { cluster: fake.cluster, io }, async (generator) => {
      const folder = await openRunFolder(
        { ...plan, out },
        { io, profile: worlds.profile, k6Version: generator.version, now: new Date() },
      )
      const ended = await withTrials({ plan, generator, worlds, folder, io }, async (trials) => {
        for (let trial = 0; trial < count; trial += 1) await trials.run(TRIAL)
        results = trials.results()
      })
      await folder.finish(ended)
      return generator.version
    })
    return { results, version }
  }
  const readOut = (name: string) => readFileSync(join(out, name), 'utf8')
  const readFacts = (): TrialFacts[] =>
    readOut('trials.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return { ...fake, run, written, readOut, readFacts }
}

test('makes the shared objects once and a TestRun for each trial, and deletes all', MS_MAX, async () => {
  const { run, done, held, readFacts, readOut } = await runTrials(2, () => [UNDER_WAY, RUN_ENDED])
  const { results, version } = await run()
  const [, ...made] = done.filter((each) => /^(apply|remove TestRun)/.test(each))
  expect(made).toEqual([
    'apply Secret run',
    'apply ConfigMap run',
    'apply NetworkPolicy run',
    'apply NetworkPolicy run-results',
    'apply Service run-results',
    'apply Pod run-results',
    'apply TestRun run-t1',
    'remove TestRun run-t1',
    'apply TestRun run-t2',
    'remove TestRun run-t2',
    'remove TestRun run-t1',
    'remove TestRun run-t2',
  ])
  expect([...held.keys()]).toEqual([])
  expect(results).toMatchObject(
    [1, 2].map((trial) => ({ trial, outcome: 'pass', requests: 5 * 80, throughput: 80, instances: 2 })),
  )
  expect(version).toBe('2.2.0')
  const facts = readFacts()
  expect(facts).toMatchObject([
    { trial: 1, ended: 'completed', judgedFrom: SYNTHETIC_START + 2, judgedTo: SYNTHETIC_START + 7 },
    { trial: 2, ended: 'completed', judgedFrom: SYNTHETIC_START + 2, judgedTo: SYNTHETIC_START + 7 },
  ])
  // Each runner was busy with all of its one core.
  expect(
    facts.map(({ runners }) => runners?.map(({ cpuCores, cpuCoresMax }) => [cpuCores, cpuCoresMax])),
  ).toEqual(Array(2).fill(Array(2).fill([1, 112])))
  expect(readOut('k6.stderr.log')).toBe(
    [1, 2]
      .map((trial) => `trial ${trial}:\n${[1, 2].map((runner) => saying(trial, runner)).join('\n')}\n`)
      .join(''),
  )
})

const PODS = ['', '1-mlsnt', '2-6q7rb']
const saying = (trial: number, runner: number) =>
  `run-t${trial}-${runner}:\nrun-t${trial}-${PODS[runner]} says something`

test('the TestRun has the load of its trial', MS_MAX, async () => {
  const { run, held } = await runTrials(1, () => [UNDER_WAY, RUN_ENDED], {
    onLook: () => specs.push(held.get('TestRun run-t1')?.spec),
  })
  const specs: unknown[] = []
  await run()
  const { arguments: words, runner } = specs[0] as {
    arguments: string
    runner: { env: { name: string; value: string }[] }
  } // as: of a TestRun
  expect(words).toContain(' --tag trial=1 --out series=http://10.0.0.9:8090/files/series-$(RUNNER).ndjson')
  const load = JSON.parse(runner.env.find(({ name }) => name === 'BREAKWATER_LOAD')?.value ?? '')
  expect(load).toEqual({
    // A second more, for the runners that start first.
    stages: [
      { seconds: 7, rate: 80 },
      { seconds: 1, rate: 80 },
    ],
    rateFrom: 80,
    arrivals: { kind: 'even', file: null },
    seed: 8,
    vusMax: 48,
    instances: 2,
  })
})

test.each([
  ['a runner that is deleted', POD_DELETED, /^runner [12]: .*the pod was deleted/],
  ['a node that is taken away', LOSING_NODE, /^both runners: /],
])('%s ends its trial, and the search goes on', MS_MAX, async (_, lost, reason) => {
  const { run, held, dir, written } = await runTrials(3, (testRun) =>
    testRun === 'run-t2' ? [UNDER_WAY, lost] : [UNDER_WAY, RUN_ENDED],
  )
  const cut = join(dir, 'series-run-t2-2.ndjson')
  truncateSync(cut, readFileSync(cut, 'utf8').indexOf(`{"time":${SYNTHETIC_START + 5},`) + 20)
  const { results } = await run()
  expect(results).toMatchObject([
    { outcome: 'pass' },
    { ended: 'crashed', outcome: 'inconclusive', seconds: 3, reason: expect.stringMatching(reason) },
    { outcome: 'pass' },
  ])
  expect(written()).toMatch(/trial 2: .* inconclusive \(.*\n.*kubectl/)
  expect([...held.keys()]).toEqual([])
})

test('runners that never start end the search with the reason', MS_MAX, async () => {
  const { run, held, written, readOut, dir } = await runTrials(2, () => [NEVER_PULLED])
  for (const runner of [1, 2]) truncateSync(join(dir, `series-run-t1-${runner}.ndjson`))
  const { results } = await run()
  expect(results).toEqual([])
  expect(written()).toContain('ErrImageNeverPull')
  expect(written()).toContain('--image-pull-policy')
  expect(JSON.parse(readOut('run.json'))).toMatchObject({ state: 'failed' })
  expect([...held.keys()]).toEqual([])
})

test('Ctrl-C stops the runners of the trial, and deletes all', MS_MAX, async () => {
  const seen = [UNDER_WAY, UNDER_WAY, RUN_ENDED]
  const { run, held, done, readFacts } = await runTrials(2, () => seen, {
    onLook: (interrupt) => interrupt(),
  })
  await run()
  expect(done.filter((each) => each.includes(':6565'))).toEqual([
    'ask run-t1-1-mlsnt:6565 PATCH',
    'ask run-t1-2-6q7rb:6565 PATCH',
  ])
  expect(readFacts()).toMatchObject([{ trial: 1, ended: 'interrupted', judgedTo: SYNTHETIC_START + 7 }])
  expect([...held.keys()]).toEqual([])
})

test('does not use a TestRun of another search of that name', async () => {
  const { run, cluster, held, done } = await runTrials(1, () => [UNDER_WAY])
  await cluster.apply({ apiVersion: 'k6.io/v1alpha1', kind: 'TestRun', metadata: { name: 'run-t1' } })
  await expect(run()).rejects.toMatchObject({
    message: '--name run: a TestRun run-t1 exists in namespace team',
    hint: expect.stringContaining(
      'kubectl delete testrun,pod,service,secret,configmap,networkpolicy --namespace team -l',
    ),
    exitCode: 2,
  })
  expect([...held.keys()]).toEqual(['TestRun run-t1'])
  expect(done).toEqual(['apply TestRun run-t1'])
})
