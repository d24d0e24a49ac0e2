import { expect, test } from 'vitest'
import { BreakwaterError } from '../../../contract/breakwater-error.ts'
import { clusterAt } from '../api/open-cluster.ts'
import { type ApiAnswer, testApiServer } from '../api/test-api-server.ts'
import { stopRunners } from './stop-runners.ts'

const PODS = '/api/v1/namespaces/team/pods'
const TAKEN = { status: 200, body: {} }
const BLOCKED = { status: 503, body: 'error trying to reach service: dial tcp 10.0.0.7:6565: i/o timeout' }

test('k6 is told to stop by its REST API, in each pod', async () => {
  const { asked, stop } = await clusterOf({})
  await stop(['load-1-a', 'load-2-b'])
  expect(asked).toEqual(
    ['load-1-a', 'load-2-b'].map((pod) => ({
      method: 'PATCH',
      path: `${PODS}/${pod}%3A6565/proxy/v1/status`,
      contentType: 'application/json',
      body: '{"data":{"type":"status","id":"default","attributes":{"stopped":true}}}',
    })),
  )
})

test('a pod that cannot be told is deleted, with time to end, and no other', async () => {
  const { asked, stop } = await clusterOf({
    [`PATCH ${PODS}/load-2-b%3A6565/proxy/v1/status`]: BLOCKED,
    [`GET ${PODS}/load-2-b`]: { status: 200, body: { status: { phase: 'Running' } } },
  })
  await stop(['load-1-a', 'load-2-b', 'load-3-c'])
  const deleted = asked.filter(({ method }) => method === 'DELETE')
  expect(deleted.map(({ path }) => path)).toEqual([`${PODS}/load-2-b`])
  expect(JSON.parse(deleted[0]?.body ?? '')).toMatchObject({ gracePeriodSeconds: 30 })
})

test.each(['Succeeded', 'Failed'])('a pod that is %s meanwhile keeps its log', async (phase) => {
  const { asked, stop } = await clusterOf({
    [`PATCH ${PODS}/load-1-a%3A6565/proxy/v1/status`]: BLOCKED,
    [`GET ${PODS}/load-1-a`]: { status: 200, body: { status: { phase } } },
  })
  await stop(['load-1-a'])
  expect(asked.map(({ method }) => method)).toEqual(['PATCH', 'GET'])
})

test('a pod that is gone needs nothing', async () => {
  const missing = { reason: 'NotFound', details: { name: 'load-1-a', kind: 'pods' } }
  const { asked, stop } = await clusterOf({
    [`PATCH ${PODS}/load-1-a%3A6565/proxy/v1/status`]: { status: 404, body: missing },
    [`GET ${PODS}/load-1-a`]: { status: 404, body: missing },
  })
  await stop(['load-1-a'])
  expect(asked.map(({ method }) => method)).toEqual(['PATCH', 'GET'])
})

test('a cluster that does not let go of a pod is an error', async () => {
  const { stop } = await clusterOf({
    [`PATCH ${PODS}/load-1-a%3A6565/proxy/v1/status`]: BLOCKED,
    [`GET ${PODS}/load-1-a`]: { status: 403, body: { reason: 'Forbidden' } },
  })
  await expect(stop(['load-1-a', 'load-2-b'])).rejects.toBeInstanceOf(BreakwaterError)
})

test('a hundred are told, each once', async () => {
  const { asked, stop } = await clusterOf({})
  const pods = Array.from({ length: 100 }, (_, index) => `load-${index + 1}-x`)
  await stop(pods)
  const told = asked.map(({ path }) => path.slice(PODS.length + 1, path.indexOf('%')))
  expect(told.sort()).toEqual(pods.sort())
})

/** What is not answered here is taken. */
async function clusterOf(answers: Record<string, ApiAnswer>) {
  const { socket, asked } = await testApiServer(({ method, path }) => answers[`${method} ${path}`] ?? TAKEN)
  const cluster = clusterAt({ socket, namespace: 'team', close: async () => {} })
  return { asked, stop: (pods: readonly string[]) => stopRunners(cluster, pods) }
}
