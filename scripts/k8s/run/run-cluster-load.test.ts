// A whole run in a fake cluster: what it creates, collects and leaves.
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TrialFacts } from '../../../contract/capacity.ts'
import { reportSchema } from '../../../contract/report.ts'
import { runSchema } from '../../../contract/run.ts'
import { SYNTHETIC_START } from '../../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../../tools/test/written-io.ts'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { SEEN, type Seen } from '../diagnose/test-seen.ts'
import type { ResultsPlace } from '../plan-cluster-load.ts'
import { plannedLoad } from '../test-cluster-plan.ts'
import { gatherRun, mustBeFree, runClusterLoad } from './run-cluster-load.ts'
import { fakeCluster, measuredFiles, RUN_ENDED } from './test-fake-cluster.ts'

const { POD_DELETED, UNDER_WAY } = SEEN
const MS_MAX = { timeout: 60_000 }

async function planned(results: ResultsPlace) {
  const plan = await plannedLoad({ name: 'run', parallelism: 2, rate: 80, duration: 5, warmUp: 2, results })
  return { ...plan, out: join(temporaryFolder(), 'out'), command: 'breakwater k8s run' }
}

function readOut(dir: string) {
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  const trials = read('trials.ndjson').trim().split('\n')
  return {
    run: runSchema.parse(JSON.parse(read('run.json'))),
    trials: trials.map((line): TrialFacts => JSON.parse(line)),
    logs: read('k6.stderr.log'),
  }
}

async function makeRun(
  seen: readonly Seen[],
  {
    keep = false,
    onLook = () => {},
    results = { kind: 'pod' },
  }: {
    keep?: boolean
    onLook?: (look: number, interrupt: () => void) => unknown
    results?: ResultsPlace
  } = {},
) {
  const plan = await planned(results)
  const { io, written, interrupt } = writtenIo()
  const fake = fakeCluster({
    seen,
    dir: await measuredFiles('run'),
    onLook: (look) => onLook(look, interrupt),
  })
  const run = () => runClusterLoad(plan, { cluster: fake.cluster, io, keep })
  return { plan, ...fake, io, written, interrupt, run, out: plan.out }
}

test('creates a run, collects it, judges it and cleans up', MS_MAX, async () => {
  const { run, out, done, held, written } = await makeRun([UNDER_WAY, RUN_ENDED])
  expect((await run()).exitCode).toBe(0)
  const applied = done.filter((each) => each.startsWith('apply')).map((each) => each.slice(6))
  const first = applied.indexOf('TestRun run')
  // Results storage exists before any runner; then everything belongs to the TestRun.
  expect(applied.slice(0, first)).toContain('Pod run-results')
  expect(applied.slice(first + 1).sort()).toEqual(applied.slice(0, first).sort())
  expect([...held.keys()]).toEqual([])
  const { run: kept, trials, logs } = readOut(out)
  expect(kept).toMatchObject({
    job: 'load',
    state: 'finished',
    machine: '2 pods of 1 core, 512 MiB',
    instances: 2,
    mix: 'reads',
    load: { rate: 80, warmUpSeconds: 2, seconds: 5 },
    versions: { k6: '2.2.0' },
    notes: [],
    k6: { exitCode: 0 },
  })
  expect(trials).toMatchObject([
    { ended: 'completed', judgedFrom: SYNTHETIC_START + 2, judgedTo: SYNTHETIC_START + 7, instances: 2 },
  ])
  expect(logs).toBe('run-1:\nrun-1-mlsnt says something\nrun-2:\nrun-2-6q7rb says something\n')
  expect(readdirSync(out)).not.toContain('trials')
  const report = reportSchema.parse(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')))
  expect(report.capacity?.trials).toMatchObject([{ outcome: 'pass', requests: 5 * 80, throughput: 80 }])
  expect(written()).toContain('met the objectives')
})

test('a kept run can be collected again with the same result', MS_MAX, async () => {
  const { run, out, cluster, io, held } = await makeRun([UNDER_WAY, RUN_ENDED], { keep: true })
  await run()
  expect([...held.keys()]).toContain('TestRun run')
  const again = join(temporaryFolder(), 'again')
  const options = { name: 'run', io, out: again, json: false, startSeconds: 60 }
  expect((await gatherRun(cluster, options)).exitCode).toBe(0)
  expect(readOut(again).trials).toEqual(readOut(out).trials.map((trial) => ({ ...trial, target: null })))
  expect([...held.keys()]).toContain('TestRun run')
  await expect(gatherRun(cluster, { ...options, name: 'other' })).rejects.toMatchObject({
    message: 'no TestRun other in namespace team',
    exitCode: 3,
  })
})

test(
  'if a runner is lost, what was measured until then is kept, and the message says how it ended',
  MS_MAX,
  async () => {
    const { run, out, written, held, dir } = await makeRun([UNDER_WAY, POD_DELETED])
    const cut = join(dir, 'series-run-2.ndjson')
    const text = readFileSync(cut, 'utf8')
    truncateSync(cut, text.indexOf(`{"time":${SYNTHETIC_START + 5},`) + 20)
    expect((await run()).exitCode).toBe(3)
    const { run: kept, trials } = readOut(out)
    expect(kept).toMatchObject({ state: 'failed', k6: { meaning: expect.stringMatching(/^runner [12]: /) } })
    expect(trials).toMatchObject([
      { ended: 'crashed', judgedFrom: SYNTHETIC_START + 2, judgedTo: SYNTHETIC_START + 5 },
    ])
    expect(written()).toContain('the pod was deleted')
    expect([...held.keys()]).toEqual([])
  },
)

const ACKNOWLEDGED = 'interrupted: writing the report; Ctrl-C again ends at once\n'

test('an interrupted run stops its runners and reports their measurements', MS_MAX, async () => {
  const seen = [UNDER_WAY, UNDER_WAY, RUN_ENDED]
  const { run, out, done, held, written } = await makeRun(seen, { onLook: (_, interrupt) => interrupt() })
  expect((await run()).exitCode).toBe(130)
  expect(written().split(ACKNOWLEDGED)).toHaveLength(2)
  const stopped = done.filter((each) => each.includes(':6565'))
  expect(stopped).toEqual(['ask run-1-mlsnt:6565 PATCH', 'ask run-2-6q7rb:6565 PATCH'])
  const { run: kept, trials } = readOut(out)
  expect(kept.state).toBe('interrupted')
  expect(trials).toMatchObject([{ ended: 'interrupted', judgedTo: SYNTHETIC_START + 7 }])
  expect([...held.keys()]).toEqual([])
})

test('an interruption before the start leaves nothing', MS_MAX, async () => {
  const { run, out, interrupt, done, held } = await makeRun([UNDER_WAY])
  const running = run()
  interrupt()
  await expect(running).rejects.toMatchObject({ exitCode: 130 })
  expect([...held.keys()]).toEqual([])
  expect(done.filter((each) => each.startsWith('apply TestRun'))).toEqual([])
  expect(existsSync(out)).toBe(false)
})

test('runners may push to this process instead of a pod', MS_MAX, async () => {
  const results = { kind: 'here', host: '127.0.0.1', port: 0 } as const
  const onLook = (look: number) => look === 1 && pushAsRunners(held, dir)
  const { run, out, held, done, dir } = await makeRun([UNDER_WAY, RUN_ENDED], { results, onLook })
  expect((await run()).exitCode).toBe(0)
  expect(done.join()).not.toContain('run-results')
  expect(readOut(out).trials).toMatchObject([{ ended: 'completed', judgedTo: SYNTHETIC_START + 7 }])
})

test('does not mix with an earlier run of that name in the volume', MS_MAX, async () => {
  const { run, done, held } = await makeRun([UNDER_WAY], { results: { kind: 'claim', claim: 'data' } })
  await expect(run()).rejects.toThrow('claim data already holds series-run-1.ndjson')
  expect(done.filter((each) => each.startsWith('apply TestRun'))).toEqual([])
  expect([...held.keys()]).toEqual([])
})

test(
  'the command that deletes kept objects also finds those of a run that never started',
  MS_MAX,
  async () => {
    const results = { kind: 'claim', claim: 'data' } as const
    const { run, held, written } = await makeRun([UNDER_WAY], { results, keep: true })
    await expect(run()).rejects.toThrow('claim data already holds series-run-1.ndjson')
    expect([...held.keys()]).toContain('Secret run')
    expect([...held.keys()]).not.toContain('TestRun run')
    expect(written()).toContain(
      'kept in the cluster; delete it with: kubectl delete testrun,pod,service,secret,configmap,networkpolicy --namespace team -l app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=run\n',
    )
  },
)

/** Plays k6 in the pods, as the objects configure it. */
async function pushAsRunners(held: ReadonlyMap<string, KubeObject>, dir: string): Promise<void> {
  const { arguments: line = '' } = (held.get('TestRun run')?.spec ?? {}) as { arguments?: string } // as: of a TestRun
  const [, url = ''] = /series=(\S+)/.exec(line) ?? []
  const { token = '' } = (held.get('Secret run')?.data ?? {}) as { token?: string } // as: of the run's Secret
  for (const runner of ['run-1', 'run-2']) {
    const response = await fetch(`${url.replace('$(RUNNER)', runner)}?offset=0`, {
      method: 'POST',
      headers: { 'x-breakwater-token': Buffer.from(token, 'base64').toString() },
      body: readFileSync(join(dir, `series-${runner}.ndjson`)),
    })
    expect(response.status).toBe(200)
  }
}

function clusterWith(...objects: readonly KubeObject[]) {
  const held = new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
  const cluster = {
    namespace: 'team',
    get: async (kind: string, name: string) => held.get(`${kind} ${name}`) ?? null,
    list: async () => [],
    remove: async (kind: string, name: string) => held.delete(`${kind} ${name}`),
  } as unknown as Cluster // as: no other method is called
  return { cluster, held }
}

function object(kind: string, name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, labels } }
}

test('does not overwrite a run of that name', async () => {
  const { cluster, held } = clusterWith(object('TestRun', 'mine'))
  await expect(mustBeFree(cluster, 'mine')).rejects.toMatchObject({
    message: '--name mine: a TestRun mine exists in namespace team',
    hint: 'Collect its result with `breakwater k8s collect mine --namespace team`. Delete it with: kubectl delete testrun,pod,service,secret,configmap,networkpolicy --namespace team -l app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=mine',
    exitCode: 2,
  })
  expect(held.size).toBe(1)
})

test('deletes leftovers of an earlier run', async () => {
  const ours = { 'app.kubernetes.io/managed-by': 'breakwater' }
  const { cluster, held } = clusterWith(
    object('Secret', 'mine', ours),
    { ...object('Pod', 'mine-results', ours), status: { phase: 'Failed' } },
    object('Secret', 'other', ours),
  )
  await mustBeFree(cluster, 'mine')
  expect([...held.keys()]).toEqual(['Secret other'])
})

test('does not delete a run of that name that may be starting', async () => {
  const ours = { 'app.kubernetes.io/managed-by': 'breakwater' }
  const { cluster, held } = clusterWith({
    ...object('Pod', 'mine-results', ours),
    status: { phase: 'Pending' },
  })
  await expect(mustBeFree(cluster, 'mine')).rejects.toMatchObject({
    message: '--name mine: a run of that name is starting in namespace team, or was killed',
    hint: 'Choose another name. If it was killed, clean up with: kubectl delete testrun,pod,service,secret,configmap,networkpolicy --namespace team -l app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=mine',
    exitCode: 2,
  })
  expect(held.size).toBe(1)
})

test.each([
  'Secret mine',
  'ConfigMap mine',
  'NetworkPolicy mine',
  'NetworkPolicy mine-results',
  'Service mine-results',
  'Pod mine-results',
])('keeps and reports a foreign %s', async (taken) => {
  const [kind = '', name = ''] = taken.split(' ')
  const { cluster, held } = clusterWith(object(kind, name))
  await expect(mustBeFree(cluster, 'mine')).rejects.toThrow(
    `a ${taken} that is not Breakwater's exists in namespace team`,
  )
  expect(held.size).toBe(1)
})
