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

/** A namespace of a real cluster, for one test; deleted with it. */
export type GivenCluster = Pick<TestNamespace, 'options' | 'kubectl'> & {
  namespace: string
  /** This checkout's. */
  image: string
  /** The API, as the product itself speaks to it. */
  api: Cluster
  /** Runs a command of breakwater in this process, in a folder of its own. */
  breakwater: typeof runCommandLine
}

/** Throws where the test was not started by `npm run test:kubernetes`, which looks for a cluster and makes the image. */
export async function givenCluster(): Promise<GivenCluster> {
  const image = process.env.BREAKWATER_IMAGE
  if (!image) throw new Error('start it by: npm run test:kubernetes -- FILE')
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

/** What runs have left in the namespace, `pod/load-1-x7k2`; a stub is none of theirs. */
export function leftInCluster({ kubectl }: GivenCluster): string[] {
  const names = kubectl(['get', KINDS, '--output=name']).split('\n')
  return names.filter((name) => name !== '' && !/stub|kube-root-ca/.test(name))
}

/** Waits until the second runner of a run has told of some of its load; throws after a minute and a half. */
export async function untilMeasured({ kubectl }: GivenCluster, run: string): Promise<void> {
  const file = `/results/series-${run}-2.ndjson`
  const ask = ['exec', `pod/${run}-results`, '--', 'grep', '-c', '"iterations"', file]
  const measured = () => {
    try {
      return Number(kubectl(ask))
    } catch {
      // No pod yet, no file, or none of it in the file.
      return 0
    }
  }
  await expect.poll(measured, { timeout: 90_000, interval: 500 }).toBeGreaterThan(2)
}

/** What a run’s series has of each route, `GET /pools/{key}`; `/health` is left out, which probes ask for too. */
export async function measuredCounts(
  file: string,
): Promise<{ complete: boolean; counts: Record<string, number> }> {
  const { series, complete } = await readSeries(file)
  const counts = [...series.routes.values()].map(({ name, latency }) => [name, latency.count] as const)
  return { complete, counts: Object.fromEntries(counts.filter(([name]) => name !== 'GET /health')) }
}

const ROLE = 'examples/kubernetes/role.yaml'

/** Who may do in the namespace what the example's Role lets them, and nothing anywhere else. */
type GivenRole = {
  /** The cluster, seen by them: `kubectl` has their rights. */
  cluster: GivenCluster
  /** With their kubeconfig, for commands of breakwater. */
  env: NodeJS.ProcessEnv
}

/** A ServiceAccount that is bound to the Role of the examples, as its file says; `change` makes the file another. */
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

/**
 * A claim of the namespace whose volume is a folder of this machine, which must be the cluster’s one node. Gone with the test.
 */
export function givenClaim({ kubectl, namespace }: GivenCluster): { claim: string; folder: string } {
  const folder = temporaryFolder()
  // Pods are another user.
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
  /** Where `profile.json` lies, the working directory of commands. */
  cwd: string
  /** For `breakwater k8s run`: the profile, and the consent that its host is loaded. */
  target: readonly string[]
  /** The environment with the API tokens that the profile names. */
  env: NodeJS.ProcessEnv
  /** Requests that it has answered, by route, `GET /pools/{key}`; those that probes ask for are left out. */
  counted(): Promise<Record<string, number>>
}

const COUNTED = /^breakwater_http_requests_total\{method="(\w+)",route="([^"]*)",.*\} (\d+)$/

/** Asked by others than clients, too. */
const OWN_ROUTES = new Set(['/health', '/ready', '/metrics'])

/** A stub in the cluster, ready, as `breakwater k8s stub` makes it, with further options of that; gone with the namespace. */
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

  // By its address: a cluster for tests may have no DNS.
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
      const { body } = await api.askPod(pod, 8080, { method: 'GET', path: '/metrics' })
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
