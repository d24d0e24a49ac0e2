import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { readSeries } from '../../reports/series/read-series.ts'
import {
  type GivenCluster,
  type GivenClusterStub,
  givenCluster,
  givenClusterStub,
} from '../../tools/test/cluster/given-cluster.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const LOAD = '--name load --mix reads --rate 40 --warm-up 2s --output run --json'.split(' ')
const SMALL = '--cpu 0.1 --parallelism 2'.split(' ')
const NOWHERE = 'localhost/nowhere:1'
const DELETED = /runner 2: pod\/load-2-\w+: the pod was deleted/

test.each([
  [
    'an image that no node has',
    ['--image', NOWHERE, '--image-pull-policy', 'Never'],
    `ErrImageNeverPull: Container image "${NOWHERE}" is not present with pull policy of Never`,
    '--image-pull-policy',
  ],
  [
    'a starter that no node has',
    ['--starter-image', NOWHERE, '--image-pull-policy', 'Never'],
    'starter: pod/load-starter-',
    '--starter-image',
  ],
  ['no node of that size', ['--cpu', '200', '--start-timeout', '5s'], ': Unschedulable: ', '--cpu'],
])('%s: the load does not start, and the message has the reason', async (_, options, sentence, hint) => {
  const cluster = await givenCluster()
  const { exitCode, stderr } = await load(cluster, createUnusedTarget(cluster), options)
  expect({ exitCode, stderr }).toEqual({
    exitCode: EXIT.environment,
    stderr: expect.stringContaining(sentence),
  })
  expect(stderr).toContain(hint)
  expect(left(cluster)).toEqual([])
})

test('a quota without room for all runners: the load does not start, and the message has the reason', async () => {
  const cluster = await givenCluster()
  // One pod for the results, one for a runner.
  cluster.kubectl(['create', 'quota', 'small', '--hard=pods=2'])
  const { exitCode, stderr } = await load(cluster, createUnusedTarget(cluster), ['--start-timeout', '20s'])
  expect(exitCode).toBe(EXIT.environment)
  expect(stderr).toContain('runner 2: job/load-2: FailedCreate: ')
  expect(stderr).toContain('exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2')
  expect(left(cluster)).toEqual([])
})

test('names an unreachable target as a runner sees it', async () => {
  const cluster = await givenCluster()
  const { exitCode, stderr } = await load(cluster, createUnusedTarget(cluster), [])
  expect(exitCode).toBe(EXIT.environment)
  expect(stderr).toMatch(/the target does not serve .*http:\/\/[\d.]+:8080.*refused/)
  expect(left(cluster)).toEqual([])
})

test('a killed runner ends the load, which keeps its measurements', async () => {
  const cluster = await givenCluster()
  const running = load(cluster, await givenClusterStub(cluster), [
    '--duration',
    '120s',
    '--start-timeout',
    '200s',
  ])
  await someIsMeasured(cluster)
  cluster.kubectl(['delete', 'pod', '--selector=job-name=load-2', '--wait=false'])
  const { exitCode, stdout, stderr, cwd } = await running
  expect(stderr).toMatch(DELETED)
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(exitCode).not.toBe(EXIT.ok)
  expect(report.run.k6).toMatchObject({ meaning: expect.stringMatching(DELETED) })
  const { series } = await readSeries(join(cwd, 'run', RUN_FILES.series))
  // Both were running: the other stopped normally, with all measurements.
  expect([...series.routes.values()].reduce((sum, { latency }) => sum + latency.count, 0)).toBeGreaterThan(
    100,
  )
  expect(left(cluster)).toEqual([])
})

test('a restart of the operator does not affect a running load', async () => {
  const cluster = await givenCluster()
  const running = load(cluster, await givenClusterStub(cluster), [
    '--duration',
    '20s',
    '--start-timeout',
    '200s',
  ])
  await someIsMeasured(cluster)
  restartOperator(cluster)
  const { exitCode, stderr } = await running
  expect([exitCode, stderr]).toEqual([EXIT.ok, expect.not.stringContaining('breakwater:')])
  expect(left(cluster)).toEqual([])
})

function load(
  { breakwater, options }: GivenCluster,
  { cwd, env, target }: Omit<GivenClusterStub, 'counted'>,
  further: readonly string[],
) {
  return breakwater(['k8s', 'run', ...target, ...LOAD, ...SMALL, ...options, ...further], { cwd, env })
}

/** An unreachable target: a Service without a pod. */
function createUnusedTarget({ kubectl }: GivenCluster): Omit<GivenClusterStub, 'counted'> {
  const cwd = temporaryFolder()
  kubectl(['create', 'service', 'clusterip', 'stub', '--tcp=8080'])
  const address = kubectl(['get', 'service/stub', '--output=jsonpath={.spec.clusterIP}'])
  const [baseUrl, wsUrl] = [`http://${address}:8080`, `ws://${address}:8080`]
  const profile = { name: 'nobody', baseUrl, wsUrl, allow: { load: true } }
  writeFileSync(join(cwd, 'profile.json'), JSON.stringify(profile))
  return { cwd, env: process.env, target: ['--target', 'profile.json', '--confirm', address] }
}

/** Waits until the second runner has pushed several times. */
async function someIsMeasured({ kubectl }: GivenCluster): Promise<void> {
  const count = ['exec', 'load-results', '--', 'grep', '-c', 'iterations', '/results/series-load-2.ndjson']
  const measured = () => {
    try {
      return Number(kubectl(count))
    } catch {
      // No pod, no file or an empty file yet.
      return 0
    }
  }
  await expect.poll(measured, { timeout: 200_000, interval: 500 }).toBeGreaterThan(3)
}

/** Like an upgrade or a drained node. */
function restartOperator({ kubectl }: GivenCluster): void {
  const deployments = [
    'get',
    'deployment',
    '--all-namespaces',
    '--selector=app.kubernetes.io/name=k6-operator',
  ]
  const [{ metadata, spec }] = JSON.parse(kubectl([...deployments, '--output=json'])).items
  const labels = Object.entries(spec.selector.matchLabels).map(([name, value]) => `${name}=${value}`)
  kubectl(['delete', 'pods', `--selector=${labels}`, '--namespace', metadata.namespace, '--wait=false'])
}

/** Objects of a run in the cluster. */
function left({ kubectl }: GivenCluster): string[] {
  const kinds = 'testruns,jobs,pods,secrets,configmaps,services,networkpolicies'
  const names = kubectl(['get', kinds, '--output=name']).split('\n')
  return names.filter((name) => name !== '' && !/stub|kube-root-ca/.test(name))
}
