import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { clusterAt } from './open-cluster.ts'
import { type ApiReply, testApiServer } from './test-api-server.ts'

async function clusterThat(responses: ApiReply) {
  const { socket, requests } = await testApiServer(() => responses)
  return { requests, cluster: clusterAt({ socket, namespace: 'team', close: async () => {} }) }
}

function refusal(code: number, reason: string, message: string, details: object = {}): ApiReply {
  return { status: code, body: { kind: 'Status', status: 'Failure', code, reason, message, details } }
}

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'load-1' } }

test('requests objects at their API paths', async () => {
  const { requests, cluster } = await clusterThat({ status: 200, body: { ...POD, items: [POD] } })
  expect(await cluster.get('Pod', 'load-1')).toMatchObject(POD)
  expect(await cluster.list('Job', { labels: 'app=k6,k6_cr=load' })).toEqual([POD])
  expect(await cluster.list('Event', { fields: 'involvedObject.kind=Job' })).toEqual([POD])
  await cluster.patch('TestRun', 'load', { metadata: { annotations: { a: 'b' } } })
  await cluster.remove('NetworkPolicy', 'load')
  await cluster.removeAll('Secret', 'app.kubernetes.io/instance=load')
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/namespaces/team/pods/load-1',
    'GET /apis/batch/v1/namespaces/team/jobs?labelSelector=app%3Dk6%2Ck6_cr%3Dload',
    'GET /api/v1/namespaces/team/events?fieldSelector=involvedObject.kind%3DJob',
    'PATCH /apis/k6.io/v1alpha1/namespaces/team/testruns/load?fieldManager=breakwater',
    'DELETE /apis/networking.k8s.io/v1/namespaces/team/networkpolicies/load',
    'DELETE /api/v1/namespaces/team/secrets?labelSelector=app.kubernetes.io%2Finstance%3Dload',
  ])
  expect(requests[3]).toMatchObject({
    contentType: 'application/merge-patch+json',
    body: '{"metadata":{"annotations":{"a":"b"}}}',
  })
  expect(JSON.parse(requests[4]?.body ?? '')).toMatchObject({ propagationPolicy: 'Background' })
})

test('applies an object as breakwater, in its namespace', async () => {
  const { requests, cluster } = await clusterThat({ status: 201, body: POD })
  await cluster.apply(POD)
  expect(requests).toEqual([
    {
      method: 'PATCH',
      path: '/api/v1/namespaces/team/pods/load-1?fieldManager=breakwater&force=true',
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify({ ...POD, metadata: { name: 'load-1', namespace: 'team' } }),
    },
  ])
})

test('deletes immediately if requested', async () => {
  const { requests, cluster } = await clusterThat({ status: 200, body: POD })
  expect(await cluster.remove('Pod', 'load-1', { graceSeconds: 0 })).toBe(true)
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ gracePeriodSeconds: 0 })
})

test('a missing object is null; a missing kind is an error', async () => {
  const missing = refusal(404, 'NotFound', 'pods "load-1" not found', { name: 'load-1', kind: 'pods' })
  const { cluster } = await clusterThat(missing)
  expect(await cluster.get('Pod', 'load-1')).toBeNull()
  expect(await cluster.remove('Pod', 'load-1')).toBe(false)
  const without = await clusterThat({ status: 404, body: '404 page not found\n' })
  await expect(without.cluster.get('TestRun', 'load')).rejects.toMatchObject({
    message: 'the cluster refused to get testruns/load in namespace team: 404 page not found',
    hint: expect.stringContaining("install Grafana's k6-operator"),
    exitCode: 3,
  })
})

const REFUSALS: readonly [ApiReply, string, string][] = [
  [refusal(401, 'Unauthorized', 'Unauthorized'), 'Unauthorized', 'kubectl auth whoami'],
  [
    refusal(403, 'Forbidden', 'pods is forbidden: User "u" cannot patch resource "pods"'),
    'cannot patch resource "pods"',
    'kubectl auth can-i patch pods -n team',
  ],
  [
    refusal(403, 'Forbidden', 'pods "load-1" is forbidden: exceeded quota: small'),
    'exceeded quota: small',
    'rule of the namespace',
  ],
  [
    refusal(404, 'NotFound', 'namespaces "team" not found', { name: 'team', kind: 'namespaces' }),
    'namespaces "team" not found',
    'kubectl create namespace team',
  ],
  [
    refusal(409, 'Conflict', 'object is being deleted'),
    'being deleted',
    'kubectl delete pods load-1 -n team',
  ],
  [
    { status: 500, body: 'dial tcp 10.0.0.1:6443: connection refused' },
    'connection refused',
    'kubectl version',
  ],
]

test.each(REFUSALS)(
  'reports what the cluster rejected, and what to do: %#',
  async (response, message, hint) => {
    const { cluster } = await clusterThat(response)
    const error = await cluster.apply(POD).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(BreakwaterError)
    expect(error.message).toContain(message)
    expect(error.hint).toContain(hint)
    expect(error.exitCode).toBe(3)
  },
)

test('an unreachable API server is reported as such', async () => {
  const cluster = clusterAt({ socket: '/nonexistent/api', namespace: 'team', close: async () => {} })
  await expect(cluster.list('Pod')).rejects.toMatchObject({
    message: expect.stringContaining('the cluster cannot be reached: connect ENOENT'),
    exitCode: 3,
  })
})

test('reads the log of a pod, or null before it starts', async () => {
  const { requests, cluster } = await clusterThat({ status: 200, body: 'a line\n' })
  const log = await cluster.logs('load-1', { tailLines: 5, limitBytes: 1000 })
  expect(log && (await text(log.body))).toBe('a line\n')
  await cluster.logs('load-1')
  expect(requests.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces/team/pods/load-1/log?tailLines=5&limitBytes=1000',
    '/api/v1/namespaces/team/pods/load-1/log',
  ])
  const waiting = await clusterThat(refusal(400, 'BadRequest', 'container "k6" is waiting to start'))
  expect(await waiting.cluster.logs('load-1')).toBeNull()
})

test('sends a request to a server in a pod and returns any response', async () => {
  const { requests, cluster } = await clusterThat({ status: 409, body: '{"size":3}' })
  const response = await cluster.requestPod('load-1', 8090, {
    method: 'POST',
    path: '/files/a?offset=1',
    body: 'x',
  })
  expect([response.status, await text(response.body)]).toEqual([409, '{"size":3}'])
  expect(requests[0]?.path).toBe('/api/v1/namespaces/team/pods/load-1%3A8090/proxy/files/a?offset=1')
})
