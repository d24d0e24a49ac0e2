import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES } from '../../contract/run.ts'
import {
  type GivenCluster,
  type GivenClusterStub,
  givenClaim,
  givenCluster,
  givenClusterStub,
  leftInCluster,
  measuredCounts,
  untilMeasured,
} from '../../tools/test/cluster/given-cluster.ts'
import { projectPath } from '../project.ts'

const LOAD = '--name load --mix reads --rate 40 --duration 15s --warm-up 2s --cpu 0.1 --parallelism 2'.split(
  ' ',
)

test('collects a run whose command was killed, without loss', async () => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster)
  const command = [
    projectPath('scripts/breakwater.mjs'),
    'k8s',
    'run',
    ...stub.target,
    ...LOAD,
    ...cluster.options,
  ]
  const killed = spawn(process.execPath, command, { cwd: stub.cwd, env: stub.env, stdio: 'ignore' })
  onTestFinished(() => {
    killed.kill('SIGKILL')
  })
  await untilMeasured(cluster, 'load')
  killed.kill('SIGKILL')
  await collectAll(cluster, stub)
})

test.runIf(process.env.KUBE_HOME)('collects a run that was rendered and applied', async () => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster)
  const { claim } = givenClaim(cluster)
  const argv = ['k8s', 'render', ...stub.target, ...LOAD, ...cluster.options, '--results', `claim=${claim}`]
  const rendered = await cluster.breakwater(argv, stub)
  expect(rendered).toMatchObject({ exitCode: EXIT.ok, stderr: expect.not.stringContaining('breakwater:') })
  cluster.kubectl(['apply', '--server-side', '--filename', '-'], rendered.stdout)
  await collectAll(cluster, stub)
})

/** Checks that the report has all responses of the stub, and that nothing is left in the cluster. */
async function collectAll(cluster: GivenCluster, { cwd, env, counted }: GivenClusterStub): Promise<void> {
  const argv = [
    'k8s',
    'collect',
    'load',
    '--namespace',
    cluster.namespace,
    '--delete',
    '--output',
    'collected',
    '--json',
  ]
  const { exitCode, stdout, stderr } = await cluster.breakwater(argv, { cwd, env })
  expect([exitCode, stderr]).toEqual([EXIT.ok, expect.not.stringContaining('breakwater:')])
  expect(reportSchema.parse(JSON.parse(stdout)).run).toMatchObject({ state: 'finished', instances: 2 })
  const measured = await measuredCounts(join(cwd, 'collected', RUN_FILES.series))
  expect(measured).toEqual({ complete: true, counts: await counted() })
  expect(leftInCluster(cluster)).toEqual([])
}
