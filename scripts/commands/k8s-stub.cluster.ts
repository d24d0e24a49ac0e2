// The stub in a real cluster, in a namespace that enforces the restricted pod security standard.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { type GivenCluster, givenCluster } from '../../tools/test/cluster/given-cluster.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { CONTAINER_SECURITY, POD_SECURITY } from '../k8s/manifests/manifest-parts.ts'

const SELECTED = 'app.kubernetes.io/name=breakwater-stub'

test('serves pods at the addresses of its profile, and its label selects all its objects', async () => {
  const cluster = await givenCluster()
  const { kubectl } = cluster
  const cwd = temporaryFolder()
  // A free address: the cluster assigned it a moment ago.
  kubectl(['create', 'service', 'clusterip', 'taken', '--tcp=1'])
  const address = kubectl(['get', 'service/taken', '--output=jsonpath={.spec.clusterIP}'])
  kubectl(['delete', 'service/taken'])

  const stderr = await applyStub(cluster, cwd, ['--cluster-ip', address, '--profile', 'stub.json'])
  const { baseUrl, wsUrl } = profileSchema.parse(JSON.parse(readFileSync(join(cwd, 'stub.json'), 'utf8')))
  expect([baseUrl, wsUrl]).toEqual([`http://${address}:8080`, `ws://${address}:8081`])
  const [, token] = /BREAKWATER_API_TOKENS=(ss_[\w-]+)/.exec(stderr) ?? []

  const swaps = `fetch('${baseUrl}/swaps?limit=1', { headers: { Authorization: 'Bearer ${token}' } })`
  const said = await fromPod(
    cluster,
    `const swaps = await ${swaps}
     const socket = new (await import('/opt/breakwater/node_modules/ws/wrapper.mjs')).WebSocket('${wsUrl}/ws')
     const feed = await new Promise((resolve) => {
       socket.once('open', () => resolve('open')).once('error', (error) => resolve(error.message))
     })
     socket.terminate()
     const control = await fetch('http://${address}:8082/status').then(({ status }) => status, () => 'none')
     console.log(JSON.stringify({ swaps: swaps.status, rows: (await swaps.json()).data.length, feed, control }))`,
  )
  expect(said).toEqual({ swaps: 200, rows: 1, feed: 'open', control: 'none' })

  kubectl(['delete', 'deployment,service,networkpolicy,secret,configmap', '--selector', SELECTED])
  const left = kubectl(['get', 'deployment,service,networkpolicy,secret', '--output=name'])
  expect(left).toBe('')
})

test('uses a custom world and fault plan, and restarts with a new plan', async () => {
  const cluster = await givenCluster()
  const cwd = temporaryFolder()
  const write = (status: number) =>
    writeFileSync(
      join(cwd, 'mine.json'),
      JSON.stringify({
        description: 'mine',
        faults: [{ fault: 'http-error', status, where: { routes: ['GET /fee-tiers'] } }],
      }),
    )
  const world = join(cwd, 'world.json')
  writeFileSync(world, readFileSync(new URL('../../fixtures/worlds/tiny.json', import.meta.url)))
  for (const status of [503, 502]) {
    write(status)
    await applyStub(cluster, cwd, ['--world', world, '--faults', 'mine.json'])
    expect(await statusThrough(cluster, '/fee-tiers')).toBe(status)
  }
})

/** Waits until the pod is ready and no old one is left. Returns the stderr of the command. */
async function applyStub(cluster: GivenCluster, cwd: string, options: readonly string[]): Promise<string> {
  const { namespace, image, kubectl } = cluster
  const argv = ['--image', image, '--namespace', namespace, '--cpu', '0.2', ...options]
  const { exitCode, stdout, stderr } = await cluster.breakwater(['k8s', 'stub', ...argv], { cwd })
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('breakwater:')])
  kubectl(['apply', '--filename', '-'], stdout)
  kubectl(['rollout', 'status', 'deployment/stub', '--timeout=180s'])
  return stderr
}

async function statusThrough({ api, kubectl }: GivenCluster, path: string): Promise<number> {
  const pods = kubectl(['get', 'pods', '--selector', SELECTED, '--output=jsonpath={.items[*].metadata.name}'])
  const { status, body } = await api.requestPod(pods, 8080, { method: 'GET', path })
  await text(body)
  return status
}

/** Runs a Node program in a pod, and returns its output. */
async function fromPod({ api, image, kubectl }: GivenCluster, program: string): Promise<unknown> {
  await api.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'client' },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: POD_SECURITY,
      containers: [
        {
          name: 'client',
          image,
          command: ['node', '--input-type=module', '--eval', program],
          securityContext: CONTAINER_SECURITY,
        },
      ],
    },
  })
  kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/client', '--timeout=60s'])
  return JSON.parse(kubectl(['logs', 'client']))
}
