// Searches from runners in a real cluster, against a stub whose capacity is known.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import { type TrialFacts, trialFactsSchema } from '../../contract/capacity.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { knownRateProblem } from '../../tools/proofs/capacity.ts'
import {
  type GivenCluster,
  type GivenClusterStub,
  givenCluster,
  givenClusterStub,
  leftInCluster,
  untilMeasured,
} from '../../tools/test/cluster/given-cluster.ts'

const SEARCH = '--k8s --cpu 0.3 --max-vus 400 --name search --output run --json'.split(' ')
const SERVICE_RATE = 100

test('4 runners find the rate of a known queue', async () => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster, ['--cpu', '0.5', '--service-rate', String(SERVICE_RATE)])
  await forwardMetrics(cluster, stub)
  const { exitCode, report, facts } = await search(cluster, stub, ['--parallelism', '4'])
  const { capacity, bottleneck, run } = report
  if (capacity === null) throw new Error('the report of the search has no capacity')
  const { part } = bottleneck
  const ended = { exitCode, capacity, part, seconds: 0 }
  // Other work on the node may limit the runners: then the search must say so, and find no rate.
  if (capacity.limitedBy === 'generator') expect(capacity.highestPassingRate).toBeLessThan(1.1 * SERVICE_RATE)
  else
    expect(
      knownRateProblem(ended, { rate: SERVICE_RATE, limitedBy: 'target', part: 'queue' }),
    ).toBeUndefined()
  expect(run).toMatchObject({ instances: 4, machine: '4 pods of 0.3 cores, 320 MiB', state: 'finished' })
  expect(run.versions.k6).toMatch(/^\d+\.\d+\.\d+$/)
  for (const { runners } of facts) expect(runners).toHaveLength(4)
  expect(leftInCluster(cluster)).toEqual([])
})

test('2 runners hold sockets', async () => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster, ['--cpu', '0.5'])
  const axis = ['--axis', 'sockets', '--from', '100', '--to', '100', '--open-rate', '50']
  const { exitCode, report } = await search(cluster, stub, axis)
  const { limitedBy, highestPassingRate, trials = [] } = report.capacity ?? {}
  expect([exitCode, limitedBy, highestPassingRate]).toEqual([EXIT.ok, 'range', 100])
  expect(trials.map(({ instances, throughput }) => [instances, throughput])).toEqual(
    trials.map(() => [2, 100]),
  )
  expect(leftInCluster(cluster)).toEqual([])
})

test('Ctrl-C reports the result so far, and leaves nothing in the cluster', async () => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster)
  const interrupt = new AbortController()
  onTestFinished(() => interrupt.abort())
  const searching = search(cluster, stub, ['--trial-duration', '60s'], interrupt.signal)
  await untilMeasured(cluster, 'search', 'search-t1')
  interrupt.abort()
  const { exitCode, report, facts } = await searching
  expect([exitCode, report.run.state, report.generator.complete]).toEqual([
    EXIT.interrupted,
    'interrupted',
    true,
  ])
  expect(facts).toMatchObject([{ trial: 1, ended: 'interrupted' }])
  expect(leftInCluster(cluster)).toEqual([])
})

// Cordons the node: only of a cluster that has no other users.
test.runIf(process.env.KUBE_HOME)(
  'a node that is taken away in a trial ends it, and then the search',
  async () => {
    const cluster = await givenCluster()
    const { kubectl } = cluster
    const stub = await givenClusterStub(cluster)
    const node = kubectl(['get', 'nodes', '--output=jsonpath={.items[0].metadata.name}'])
    onTestFinished(() => void kubectl(['uncordon', node]))
    const searching = search(cluster, stub, ['--start-timeout', '10s', '--trial-duration', '60s'])
    await untilMeasured(cluster, 'search', 'search-t1')
    kubectl(['cordon', node])
    kubectl(['delete', 'pods', '--selector=k6_cr=search-t1,runner=true', '--wait=false'])
    const { exitCode, stderr, report, facts } = await searching
    expect(facts).toMatchObject([
      { trial: 1, ended: 'crashed', reason: expect.stringMatching(/^both runners: .*the pod was deleted/) },
      { trial: 2, ended: 'crashed', reason: expect.stringContaining('Unschedulable') },
    ])
    expect(report.capacity?.statement).toContain('no result')
    expect([exitCode, stderr]).toEqual([EXIT.environment, expect.not.stringMatching(/breakwater:|\.ts:\d/)])
    expect(leftInCluster(cluster)).toEqual([])
  },
)

/** Lets the search read the metrics of the stub, whose queue shows what limits the load. */
async function forwardMetrics({ namespace }: GivenCluster, { cwd }: GivenClusterStub): Promise<void> {
  const kubectl = process.env.BREAKWATER_KUBECTL || 'kubectl'
  const args = ['port-forward', '--namespace', namespace, 'service/stub', ':8080']
  const forward = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void forward.kill())
  for await (const line of createInterface({ input: forward.stdout })) {
    const [, address] = /^Forwarding from (127\.0\.0\.1:\d+)/.exec(line) ?? []
    if (address === undefined) continue
    const file = join(cwd, 'profile.json')
    const profile = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...profile, metrics: `http://${address}/metrics` }))
    return
  }
  throw new Error('kubectl port-forward exited')
}

async function search(
  { breakwater, options }: GivenCluster,
  { cwd, env, target }: GivenClusterStub,
  further: readonly string[],
  interrupted = new AbortController().signal,
): Promise<{ exitCode: number; stderr: string; report: Report; facts: TrialFacts[] }> {
  const argv = ['capacity', ...target, ...SEARCH, ...options, ...further]
  const { exitCode, stdout, stderr } = await breakwater(argv, { cwd, env, interrupted })
  const trials = join(cwd, 'run', 'trials.ndjson')
  if (!existsSync(trials)) throw new Error(`the search had no trial, exit code ${exitCode}: ${stderr}`)
  const lines = readFileSync(trials, 'utf8').trim().split('\n')
  return {
    exitCode,
    stderr,
    report: reportSchema.parse(JSON.parse(stdout)),
    facts: lines.map((line) => trialFactsSchema.parse(JSON.parse(line))),
  }
}
