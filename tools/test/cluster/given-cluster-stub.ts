import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '../temporary-folder.ts'
import type { GivenCluster } from './given-cluster.ts'

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
