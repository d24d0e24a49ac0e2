// The objects of a load in a real API server, and a load that only kubectl applied.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
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
import type { KubeObject } from '../k8s/api/kube-object.ts'
import { listPods } from '../k8s/manifests/test-pods.ts'

type Target = Pick<GivenClusterStub, 'cwd' | 'env' | 'target'>

const LOAD = '--mix reads --rate 40 --duration 6s --warm-up 2s --parallelism 2 --cpu 0.1'.split(' ')

test.each([
  { what: 'as they are by default', options: [] },
  {
    what: 'with a volume and the script of the image',
    options: ['--results', 'claim=shared', '--script', 'image'],
  },
  {
    what: 'with a node for each runner, and a Secret for images',
    options: ['--one-runner-per-node', '--image-pull-secret', 'key'],
  },
])(
  'an API server takes the objects, and each of their pods under the restricted standard: $what',
  async ({ options }) => {
    const cluster = await givenCluster()
    const yaml = await render(cluster, nowhere(), options)
    const objects = parseObjects(yaml)
    expect(splitLines(dryRun(cluster, yaml))).toHaveLength(objects.length)
    const pods = listPods(objects).map(({ name, spec }) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec,
    }))
    expect(
      splitLines(dryRun(cluster, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods }))),
    ).toEqual([
      'pod/breakwater-results serverside-applied (server dry run)',
      'pod/runner serverside-applied (server dry run)',
      'pod/starter serverside-applied (server dry run)',
    ])
  },
)

test('a load applied by kubectl runs, and is collected and judged afterwards', async () => {
  const cluster = await givenCluster()
  const stub = await givenClusterStub(cluster)
  const { kubectl } = cluster
  const yaml = await render(cluster, stub, [])
  const service = parseObjects(yaml).find(({ kind }) => kind === 'Service')
  kubectl(['apply', '--server-side', '--filename', '-'], JSON.stringify(service))
  const address = kubectl(['get', 'service/breakwater-results', '--output=jsonpath={.spec.clusterIP}'])
  // Its name resolves only in a cluster with DNS.
  kubectl(
    ['apply', '--server-side', '--filename', '-'],
    yaml.replaceAll('http://breakwater-results:', `http://${address}:`),
  )
  const argv = [
    'k8s',
    'collect',
    'breakwater',
    '--namespace',
    cluster.namespace,
    '--delete',
    '--output',
    'run',
    '--json',
  ]
  const { cwd } = stub
  const { exitCode, stdout, stderr } = await cluster.breakwater(argv, { cwd })
  expect([exitCode, stderr]).toEqual([0, expect.not.stringMatching(/^breakwater:/m)])
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(report.run).toMatchObject({
    state: 'finished',
    instances: 2,
    mix: 'reads',
    load: { rate: 40, warmUpSeconds: 2, seconds: 6 },
  })
  const { series, complete } = await readSeries(join(cwd, 'run', RUN_FILES.series))
  expect(complete).toBe(true)
  const counts = [...series.routes.values()].map(({ name, latency }) => [name, latency.count])
  const { 'GET /health': _, ...measured } = Object.fromEntries(counts)
  expect(measured).toEqual(await stub.counted())
})

/** Receives no requests. */
function nowhere(): Target {
  const cwd = temporaryFolder()
  const urls = { baseUrl: 'http://exchange.example', wsUrl: 'ws://exchange.example' }
  writeFileSync(join(cwd, 'profile.json'), JSON.stringify({ name: 'x', ...urls, allow: { load: true } }))
  return { cwd, env: {}, target: ['--target', 'profile.json', '--confirm', 'exchange.example'] }
}

async function render(
  cluster: GivenCluster,
  { cwd, env, target }: Target,
  options: readonly string[],
): Promise<string> {
  const argv = ['k8s', 'render', ...target, ...LOAD, ...cluster.options, ...options]
  const { exitCode, stdout, stderr } = await cluster.breakwater(argv, { cwd, env })
  expect([exitCode, stderr]).toEqual([0, expect.not.stringMatching(/^breakwater:/m)])
  return stdout
}

function dryRun({ kubectl }: GivenCluster, objects: string): string {
  return kubectl(['apply', '--server-side', '--dry-run=server', '--filename', '-'], objects)
}

function splitLines(text: string): string[] {
  return text.split('\n')
}

function parseObjects(yaml: string): KubeObject[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document) => document.toJS())
}
