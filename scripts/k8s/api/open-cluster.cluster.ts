import { expect, test } from 'vitest'
import { givenCluster } from '../../../tools/test/cluster/given-cluster.ts'
import type { KubeObject } from './kube-object.ts'

const LABELS = { 'app.kubernetes.io/name': 'breakwater' }

test('a real API server creates, lists and deletes objects', async () => {
  const { api, namespace } = await givenCluster()
  const map: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'some', labels: LABELS },
    data: { a: '1' },
  }
  const made = await api.apply(map)
  expect(made.metadata.namespace).toBe(namespace)
  await api.patch('ConfigMap', 'some', { data: { b: '2' } })
  expect((await api.get('ConfigMap', 'some'))?.data).toEqual({ a: '1', b: '2' })
  expect(await api.list('TestRun')).toEqual([])
  expect(await api.remove('ConfigMap', 'some')).toBe(true)
  expect(await api.get('ConfigMap', 'some')).toBe(null)
  expect(await api.remove('ConfigMap', 'some')).toBe(false)
})

test('a pod of the image runs under restricted pod security, and its server responds through the API', async () => {
  const { api, image, kubectl } = await givenCluster()
  await api.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stub' },
    spec: {
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'stub',
          image,
          args: ['stub', '--host=0.0.0.0'],
          env: [{ name: 'HOME', value: '/tmp' }],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 },
          volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        },
      ],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
  })
  kubectl(['wait', '--for=condition=Ready', 'pod/stub', '--timeout=120s'])
  const response = await api.requestPod('stub', 8080, { method: 'GET', path: '/explore/pools?limit=2' })
  expect(response.status).toBe(200)
  response.body.destroy()
  const log = await api.logs('stub')
  expect(log?.status).toBe(200)
  log?.body.destroy()
})
