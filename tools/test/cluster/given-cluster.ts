import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import { readSeries } from '../../../reports/series/read-series.ts'
import { type Cluster, openCluster } from '../../../scripts/k8s/api/open-cluster.ts'
import { projectPath } from '../../../scripts/project.ts'
import { runCommandLine } from '../run-command-line.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { openTestNamespace, type TestNamespace } from './find-test-cluster.ts'

/** A namespace of a real cluster for one test, deleted with it. */
export type GivenCluster = Pick<TestNamespace, 'options' | 'kubectl'> & {
  namespace: string
  image: string
  api: Cluster
  breakwater: typeof runCommandLine
}

/** Throws outside `npm run test:kubernetes`, which finds a cluster and builds the image. */
export async function givenCluster(): Promise<GivenCluster> {
  const image = process.env.BREAKWATER_IMAGE
  if (!image) throw new Error('run this test with: npm run test:kubernetes -- FILE')
  const { name, options, kubectl, close } = openTestNamespace({
    image,
    starter: process.env.BREAKWATER_STARTER_IMAGE,
  })
  onTestFinished(close)
  const api = await openCluster({ env: process.env, namespace: name })
  onTestFinished(() => api.close())
  return { namespace: name, image, api, options, kubectl, breakwater: runCommandLine }
}

const KINDS = 'testruns,jobs,pods,secrets,configmaps,services,networkpolicies'

/** Objects that runs left in the namespace, such as `pod/load-1-x7k2`; excludes the stub. */
export function leftInCluster({ kubectl }: GivenCluster): string[] {
  const names = kubectl(['get', KINDS, '--output=name']).split('\n')
  return names.filter((name) => name !== '' && !/stub|kube-root-ca/.test(name))
}

/** Waits until the second runner of a run has reported some load; `testRun`: of a search. Throws after 90 s. */
export async function untilMeasured({ kubectl }: GivenCluster, run: string, testRun = run): Promise<void> {
  const file = `/results/series-${testRun}-2.ndjson`
  const request = ['exec', `pod/${run}-results`, '--', 'grep', '-c', '"iterations"', file]
  const measured = () => {
    try {
      return Number(kubectl(request))
    } catch {
      // No pod or file yet, or the file has no such line.
      return 0
    }
  }
  await expect.poll(measured, { timeout: 90_000, interval: 500 }).toBeGreaterThan(2)
}

/** Counts of a run's series by route, `GET /pools/{key}`, without `/health`, which probes request too. */
export async function measuredCounts(
  file: string,
): Promise<{ complete: boolean; counts: Record<string, number> }> {
  const { series, complete } = await readSeries(file)
  const counts = [...series.routes.values()].map(({ name, latency }) => [name, latency.count] as const)
  return { complete, counts: Object.fromEntries(counts.filter(([name]) => name !== 'GET /health')) }
}

const ROLE = 'examples/kubernetes/role.yaml'

/** A user with the permissions of the example's Role in the namespace, and none elsewhere. */
type GivenRole = {
  cluster: GivenCluster
  env: NodeJS.ProcessEnv
}

/** A ServiceAccount bound to the example's Role; `change` edits its file. */
export function givenRole(cluster: GivenCluster, change = (yaml: string) => yaml): GivenRole {
  const { kubectl, namespace } = cluster
  const yaml = readFileSync(projectPath(ROLE), 'utf8')
  const [role = '', binding = ''] = yaml.split(/^# (?=---$)/m)
  kubectl(['create', 'serviceaccount', 'breakwater'])
  kubectl(['apply', '--filename', '-'], change(role))
  kubectl(
    ['apply', '--filename', '-'],
    binding.replaceAll(/^# /gm, '').replace('namespace: loads', `namespace: ${namespace}`),
  )
  const token = kubectl(['create', 'token', 'breakwater'])
  const config = JSON.parse(kubectl(['config', 'view', '--raw', '--minify', '--output=json']))
  const [context] = config.contexts
  const file = join(temporaryFolder(), 'kubeconfig')
  const contexts = [{ name: context.name, context: { ...context.context, user: 'breakwater' } }]
  const users = [{ name: 'breakwater', user: { token } }]
  writeFileSync(file, JSON.stringify({ ...config, contexts, users }), { mode: 0o600 })
  const env = { ...process.env, KUBECONFIG: file }
  return {
    env,
    cluster: {
      ...cluster,
      kubectl: (args, input) => kubectlWith(env, ['--namespace', namespace, ...args], input),
    },
  }
}

function kubectlWith(env: NodeJS.ProcessEnv, args: readonly string[], input?: string): string {
  const command = env.BREAKWATER_KUBECTL || 'kubectl'
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', input, env })
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
  return stdout.trim()
}

const CLASS = 'breakwater-test'

/** A volume claim for a folder of this machine, which must be the cluster's only node. Removed with the test. */
export function givenClaim({ kubectl, namespace }: GivenCluster): { claim: string; folder: string } {
  const folder = temporaryFolder()
  // Pods run as another user.
  chmodSync(folder, 0o777)
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: namespace },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteMany'],
      storageClassName: CLASS,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: { namespace, name: 'results' },
      hostPath: { path: folder, type: 'Directory' },
    },
  }
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'results' },
    spec: {
      accessModes: ['ReadWriteMany'],
      storageClassName: CLASS,
      volumeName: namespace,
      resources: { requests: { storage: '1Gi' } },
    },
  }
  onTestFinished(() => {
    kubectl(['delete', 'persistentvolume', namespace, '--wait=false', '--ignore-not-found'])
  })
  for (const object of [volume, claim]) kubectl(['apply', '--filename', '-'], JSON.stringify(object))
  kubectl(['wait', '--for=jsonpath={.status.phase}=Bound', 'persistentvolumeclaim/results', '--timeout=60s'])
  return { claim: 'results', folder }
}

export type GivenClusterStub = {
  cwd: string
  /** Options of `breakwater k8s run`: the profile, and the confirmation of its host. */
  target: readonly string[]
  env: NodeJS.ProcessEnv
  /** Served requests by route, `GET /pools/{key}`, without those of probes. */
  counted(): Promise<Record<string, number>>
}

const COUNTED = /^breakwater_http_requests_total\{method="(\w+)",route="([^"]*)",.*\} (\d+)$/

/** Also requested by probes and scrapers. */
const OWN_ROUTES = new Set(['/health', '/ready', '/metrics'])

/** A ready stub in the cluster, created by `breakwater k8s stub` with more options; removed with the namespace. */
export async function givenClusterStub(
  cluster: GivenCluster,
  options: readonly string[] = [],
): Promise<GivenClusterStub> {
  const { kubectl, namespace, image, api } = cluster
  const cwd = temporaryFolder()
  const file = join(cwd, 'profile.json')
  const argv = [
    'k8s',
    'stub',
    '--image',
    image,
    '--namespace',
    namespace,
    '--cpu',
    '0.2',
    '--profile',
    'profile.json',
    ...options,
  ]
  const { exitCode, stdout, stderr } = await cluster.breakwater(argv, { cwd })
  if (exitCode !== 0) throw new Error(`no stub: ${stderr}`)
  kubectl(['apply', '--server-side', '--filename', '-'], stdout)
  kubectl(['rollout', 'status', 'deployment/stub', '--timeout=180s'])
  const [, tokensEnv = '', tokens = ''] = /(\w+)=(\S+) breakwater k8s run/.exec(stderr) ?? []

  // By IP address: a test cluster may have no DNS.
  const address = kubectl(['get', 'service/stub', '--output=jsonpath={.spec.clusterIP}'])
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`stub.${namespace}.svc`, address))
  const pod = kubectl([
    'get',
    'pods',
    '--selector=app.kubernetes.io/instance=stub',
    '--output=jsonpath={.items[0].metadata.name}',
  ])
  return {
    cwd,
    target: ['--target', 'profile.json', '--confirm', address],
    env: { ...process.env, [tokensEnv]: tokens },
    async counted() {
      const { body } = await api.requestPod(pod, 8080, { method: 'GET', path: '/metrics' })
      const counts: Record<string, number> = {}
      for (const line of (await text(body)).split('\n')) {
        const [, method, route = '', count] = COUNTED.exec(line) ?? []
        if (count === undefined || OWN_ROUTES.has(route)) continue
        const key = `${method} ${route.replaceAll(/:(\w+)/g, '{$1}')}`
        counts[key] = (counts[key] ?? 0) + Number(count)
      }
      return counts
    },
  }
}
