import { expect, test } from 'vitest'
import type { KubeObject } from '../api/kube-object.ts'
import type { Cluster } from '../api/open-cluster.ts'
import { mustBeFree } from './must-be-free.ts'

/** A namespace that holds objects. */
function clusterWith(...objects: readonly KubeObject[]) {
  const held = new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
  const cluster = {
    namespace: 'team',
    get: async (kind: string, name: string) => held.get(`${kind} ${name}`) ?? null,
    list: async () => [],
    remove: async (kind: string, name: string) => held.delete(`${kind} ${name}`),
  } as unknown as Cluster // as: no more of it is asked
  return { cluster, held }
}

function object(kind: string, name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, labels } }
}

test('a run of the name is not overwritten', async () => {
  const { cluster, held } = clusterWith(object('TestRun', 'mine'))
  await expect(mustBeFree(cluster, 'mine')).rejects.toMatchObject({
    message: '--name mine: there is a TestRun of that name in namespace team',
    hint: 'Its result: `breakwater k8s gather mine --namespace team`. To delete it: kubectl delete testrun mine --namespace team',
    exitCode: 2,
  })
  expect(held.size).toBe(1)
})

test('what a run of before has left is deleted', async () => {
  const ours = { 'app.kubernetes.io/managed-by': 'breakwater' }
  const { cluster, held } = clusterWith(
    object('Secret', 'mine', ours),
    { ...object('Pod', 'mine-results', ours), status: { phase: 'Failed' } },
    object('Secret', 'other', ours),
  )
  await mustBeFree(cluster, 'mine')
  expect([...held.keys()]).toEqual(['Secret other'])
})

test('a run of the name that may be about to begin is not deleted', async () => {
  const ours = { 'app.kubernetes.io/managed-by': 'breakwater' }
  const { cluster, held } = clusterWith({
    ...object('Pod', 'mine-results', ours),
    status: { phase: 'Pending' },
  })
  await expect(mustBeFree(cluster, 'mine')).rejects.toMatchObject({
    message: '--name mine: a run of that name is about to begin in namespace team, or was killed there',
    hint: 'Choose another name. Where it was killed: kubectl delete pod,service,secret,configmap,networkpolicy --namespace team -l app.kubernetes.io/managed-by=breakwater,app.kubernetes.io/instance=mine',
    exitCode: 2,
  })
  expect(held.size).toBe(1)
})

test.each([
  'Secret mine',
  'ConfigMap mine',
  'NetworkPolicy mine',
  'NetworkPolicy mine-results',
  'Service mine-results',
  'Pod mine-results',
])('a %s of somebody else stays, and is told', async (taken) => {
  const [kind = '', name = ''] = taken.split(' ')
  const { cluster, held } = clusterWith(object(kind, name))
  await expect(mustBeFree(cluster, 'mine')).rejects.toThrow(
    `there is a ${taken} in namespace team, and it is not Breakwater's`,
  )
  expect(held.size).toBe(1)
})
