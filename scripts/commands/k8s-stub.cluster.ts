// The stub exchange in a real cluster, in a namespace that takes no pod beyond the restricted standard of pod security.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { type GivenCluster, givenCluster } from '../../tools/test/cluster/given-cluster.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { CONTAINER_SECURITY, POD_SECURITY } from '../k8s/manifests/manifest-parts.ts'

const SELECTED = 'app.kubernetes.io/name=breakwater-stub'

test('serves what its profile tells of, to pods by its Service, and is gone by its label', async () => {
  const cluster = await givenCluster()
  const { kubectl } = cluster
  const cwd = temporaryFolder()
  // In its range and free, as the cluster itself gave it away a moment ago.
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

test('a world and a fault plan of one’s own are in force, and another plan makes it start anew', async () => {
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
    expect(await askedThrough(cluster, '/fee-tiers')).toBe(status)
  }
})

/** Waits until the pod that was asked for is ready, and no other is there; answers what the command told. */
async function applyStub(cluster: GivenCluster, cwd: string, options: readonly string[]): Promise<string> {
  const { namespace, image, kubectl } = cluster
  const asked = ['--image', image, '--namespace', namespace, '--cpu', '0.2', ...options]
  const { exitCode, stdout, stderr } = await cluster.breakwater(['k8s', 'stub', ...asked], { cwd })
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('breakwater:')])
  kubectl(['apply', '--filename', '-'], stdout)
  kubectl(['rollout', 'status', 'deployment/stub', '--timeout=180s'])
  return stderr
}

async function askedThrough({ api, kubectl }: GivenCluster, path: string): Promise<number> {
  const pods = kubectl(['get', 'pods', '--selector', SELECTED, '--output=jsonpath={.items[*].metadata.name}'])
  const { status, body } = await api.askPod(pods, 8080, { method: 'GET', path })
  await text(body)
  return status
}

/** Runs a program of Node in a pod beside the stub; answers what it prints. */
async function fromPod({ api, image, kubectl }: GivenCluster, program: string): Promise<unknown> {
  await api.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asker' },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: POD_SECURITY,
      containers: [
        {
          name: 'asker',
          image,
          command: ['node', '--input-type=module', '--eval', program],
          securityContext: CONTAINER_SECURITY,
        },
      ],
    },
  })
  kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/asker', '--timeout=60s'])
  return JSON.parse(kubectl(['logs', 'asker']))
}
