import { expect, test } from 'vitest'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { KINDS, type Kind, type KubeObject } from '../api/kube-object.ts'
import { clusterAt } from '../api/open-cluster.ts'
import { type ApiReply, testApiServer } from '../api/test-api-server.ts'
import { buildManifests } from '../manifests/build-manifests.ts'
import { manifestParts, plannedLoad } from '../test-cluster-plan.ts'
import { cleanUp, stopRunners } from './clean-up.ts'

test('deletes all objects of a run, and waits until they are gone', async () => {
  const plan = await plannedLoad()
  const made = buildManifests(plan, manifestParts(plan))
  // The operator's objects disappear later than the TestRun.
  const pod = buildObject('Pod', 'evening-1-abcde', { app: 'k6', k6_cr: 'evening' })
  const cluster = await createCluster([...made, pod], { listsUntilGone: 3 })
  await cleanUp(cluster.api, 'evening', { pollMs: 1 })
  expect(cluster.left()).toEqual([])
  expect(cluster.deleted()[0]).toBe('TestRun evening')
})

test('keeps objects that Breakwater did not make, whatever their names', async () => {
  const plan = await plannedLoad()
  const made = buildManifests(plan, manifestParts(plan)).filter(({ kind }) => kind !== 'Secret')
  const stranger = buildObject('Secret', 'evening', {})
  const cluster = await createCluster([...made, stranger])
  await cleanUp(cluster.api, 'evening', { pollMs: 1 })
  expect(cluster.left()).toEqual(['Secret evening'])
})

test('deletes nothing if nothing exists', async () => {
  const cluster = await createCluster([])
  await cleanUp(cluster.api, 'evening', { pollMs: 1 })
  expect(cluster.deleted()).toEqual([])
})

test('reports objects that stay', async () => {
  const held = [1, 2].map((runner) =>
    buildObject('Pod', `evening-${runner}-x`, { app: 'k6', k6_cr: 'evening' }),
  )
  const cluster = await createCluster(held, { listsUntilGone: Number.POSITIVE_INFINITY })
  await expect(cleanUp(cluster.api, 'evening', { pollMs: 1, timeoutMs: 5 })).rejects.toMatchObject({
    message: 'namespace team: Pod evening-1-x and 1 more is still there 0.005 s after it was deleted',
    hint: expect.stringContaining('kubectl get pod evening-1-x -n team -o yaml'),
    exitCode: 3,
  })
})

/** A cluster with these objects. The operator's are gone after some list calls. */
async function createCluster(objects: readonly KubeObject[], { listsUntilGone = 0 } = {}) {
  const there = new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
  const deleted: string[] = []
  let lists = 0
  const { socket } = await testApiServer(({ method, path }) => {
    const { kind, name } = parseRequest(path)
    if (name === undefined) {
      lists++
      const items = [...there.values()].filter(
        (one) => one.kind === kind && one.metadata.labels?.k6_cr === 'evening',
      )
      if (lists > listsUntilGone) for (const item of items) there.delete(`${kind} ${item.metadata.name}`)
      return { status: 200, body: { items } }
    }
    const key = `${kind} ${name}`
    const object = there.get(key)
    const details = { name, kind: KINDS[kind].plural }
    if (object === undefined) return { status: 404, body: { reason: 'NotFound', details } }
    if (method === 'DELETE') {
      there.delete(key)
      deleted.push(key)
    }
    return { status: 200, body: object }
  })
  const api = clusterAt({ socket, namespace: 'team', close: async () => {} })
  return { api, left: () => [...there.keys()], deleted: () => deleted }
}

function parseRequest(path: string): { kind: Kind; name: string | undefined } {
  const [, plural, name] = /\/namespaces\/team\/(\w+)(?:\/([\w-]+))?/.exec(path) ?? []
  const kind = (Object.keys(KINDS) as Kind[]).find((one) => KINDS[one].plural === plural)
  if (kind === undefined) throw new Error(`no such kind: ${path}`)
  return { kind, name }
}

function buildObject(kind: Kind, name: string, labels: Record<string, string>): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, labels } }
}

const PODS = '/api/v1/namespaces/team/pods'
const TAKEN = { status: 200, body: {} }
const BLOCKED = { status: 503, body: 'error trying to reach service: dial tcp 10.0.0.7:6565: i/o timeout' }

test('stops k6 through its REST API in each pod', async () => {
  const { requests, stop } = await takingCluster({})
  await stop(['load-1-a', 'load-2-b'])
  expect(requests).toEqual(
    ['load-1-a', 'load-2-b'].map((pod) => ({
      method: 'PATCH',
      path: `${PODS}/${pod}%3A6565/proxy/v1/status`,
      contentType: 'application/json',
      body: '{"data":{"type":"status","id":"default","attributes":{"stopped":true}}}',
    })),
  )
})

test('deletes only the pods that cannot be reached, with time to end', async () => {
  const { requests, stop } = await takingCluster({
    [`PATCH ${PODS}/load-2-b%3A6565/proxy/v1/status`]: BLOCKED,
    [`GET ${PODS}/load-2-b`]: { status: 200, body: { status: { phase: 'Running' } } },
  })
  await stop(['load-1-a', 'load-2-b', 'load-3-c'])
  const deleted = requests.filter(({ method }) => method === 'DELETE')
  expect(deleted.map(({ path }) => path)).toEqual([`${PODS}/load-2-b`])
  expect(JSON.parse(deleted[0]?.body ?? '')).toMatchObject({ gracePeriodSeconds: 30 })
})

test.each(['Succeeded', 'Failed'])('a pod that becomes %s keeps its log', async (phase) => {
  const { requests, stop } = await takingCluster({
    [`PATCH ${PODS}/load-1-a%3A6565/proxy/v1/status`]: BLOCKED,
    [`GET ${PODS}/load-1-a`]: { status: 200, body: { status: { phase } } },
  })
  await stop(['load-1-a'])
  expect(requests.map(({ method }) => method)).toEqual(['PATCH', 'GET'])
})

test('ignores a deleted pod', async () => {
  const missing = { reason: 'NotFound', details: { name: 'load-1-a', kind: 'pods' } }
  const { requests, stop } = await takingCluster({
    [`PATCH ${PODS}/load-1-a%3A6565/proxy/v1/status`]: { status: 404, body: missing },
    [`GET ${PODS}/load-1-a`]: { status: 404, body: missing },
  })
  await stop(['load-1-a'])
  expect(requests.map(({ method }) => method)).toEqual(['PATCH', 'GET'])
})

test('a pod that cannot be deleted is an error', async () => {
  const { stop } = await takingCluster({
    [`PATCH ${PODS}/load-1-a%3A6565/proxy/v1/status`]: BLOCKED,
    [`GET ${PODS}/load-1-a`]: { status: 403, body: { reason: 'Forbidden' } },
  })
  await expect(stop(['load-1-a', 'load-2-b'])).rejects.toBeInstanceOf(BreakwaterError)
})

test('stops a hundred pods, each once', async () => {
  const { requests, stop } = await takingCluster({})
  const pods = Array.from({ length: 100 }, (_, index) => `load-${index + 1}-x`)
  await stop(pods)
  const stopped = requests.map(({ path }) => path.slice(PODS.length + 1, path.indexOf('%')))
  expect(stopped.sort()).toEqual(pods.sort())
})

/** Requests without an entry succeed. */
async function takingCluster(answers: Record<string, ApiReply>) {
  const { socket, requests } = await testApiServer(
    ({ method, path }) => answers[`${method} ${path}`] ?? TAKEN,
  )
  const cluster = clusterAt({ socket, namespace: 'team', close: async () => {} })
  return { requests, stop: (pods: readonly string[]) => stopRunners(cluster, pods) }
}
