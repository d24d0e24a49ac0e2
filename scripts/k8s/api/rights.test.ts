import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { projectPath } from '../../project.ts'
import { clusterAt, requireRights } from './open-cluster.ts'
import { listCollectRights, listRunRights, type Right } from './rights.ts'
import { type ApiQuestion, type ApiReply, testApiServer } from './test-api-server.ts'

const shown = ({ verb, group, resource }: Right) => `${verb} ${group}/${resource}`

const parseAttributes = ({ body }: ApiQuestion) => JSON.parse(body).spec.resourceAttributes

async function checkRights(rights: readonly Right[], respond: (question: ApiQuestion) => ApiReply) {
  const { socket, requests } = await testApiServer(respond)
  const cluster = clusterAt({ socket, namespace: 'loads', close: async () => {} })
  const error = await requireRights(cluster, rights).catch((thrown) => thrown)
  return { requests, error }
}

const isAllowed = (allowed: boolean): ApiReply => ({ status: 201, body: { status: { allowed } } })

test('lists all missing rights', async () => {
  const { requests, error } = await checkRights(listCollectRights({ deletes: false }), (question) => {
    const { resource, subresource } = parseAttributes(question)
    return isAllowed(resource !== 'events' && subresource !== 'proxy')
  })
  expect(error).toMatchObject({
    message: 'namespace loads: the cluster does not let you list events, get pods/proxy',
    hint: expect.stringContaining('`kubectl auth can-i list events -n loads`'),
    exitCode: 3,
  })
  expect(requests.map(parseAttributes)).toContainEqual({
    namespace: 'loads',
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource: 'proxy',
  })
})

test('names a subresource as kubectl does', async () => {
  const right = { verb: 'patch', group: '', resource: 'pods/proxy' }
  const { error } = await checkRights([right], () => isAllowed(false))
  expect(error.hint).toContain('`kubectl auth can-i patch pods --subresource=proxy -n loads`')
})

test.each([
  ['all is allowed', isAllowed(true)],
  ['the cluster does not report rights', { status: 403, body: { kind: 'Status', message: 'no' } }],
])('no right is missing if %s', async (_, respond) => {
  const { requests, error } = await checkRights(listRunRights({ hasResultsPod: true }), () => respond)
  expect(error).toBeUndefined()
  expect(requests).toHaveLength(listRunRights({ hasResultsPod: true }).length)
})

test('runners that push to this process need no right on pods', () => {
  const without = new Set(listRunRights({ hasResultsPod: false }).map(shown))
  const more = listRunRights({ hasResultsPod: true }).map(shown)
  expect(more.filter((right) => !without.has(right))).toEqual([
    'create /services',
    'patch /services',
    'create /pods',
    'patch /pods',
    'get /pods/proxy',
  ])
})

const roleSchema = z.object({
  rules: z.array(
    z.object({
      apiGroups: z.tuple([z.string()]),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
})

test('the Role of the examples has the rights of run and collect, and those that users need for kubectl', () => {
  const { rules } = roleSchema.parse(
    parse(readFileSync(projectPath('examples/kubernetes/role.yaml'), 'utf8')),
  )
  const role = rules.flatMap(({ apiGroups: [group], resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => shown({ verb, group, resource }))),
  )
  const needed = [...listRunRights({ hasResultsPod: true }), ...listCollectRights({ deletes: true })].map(
    shown,
  )
  expect(needed.filter((right) => !role.includes(right))).toEqual([])
  expect(role.filter((right) => !needed.includes(right))).toEqual([
    // A second Ctrl-C deletes by labels.
    'list k6.io/testruns',
    'list /secrets',
    'list /configmaps',
    'list networking.k8s.io/networkpolicies',
    // The stub.
    ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => `${verb} apps/deployments`),
  ])
})
