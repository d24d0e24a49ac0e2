import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { clusterAt } from '../k8s/api/open-cluster.ts'
import { type Right, rightsOfGather, rightsOfRun } from '../k8s/api/rights.ts'
import { type ApiAnswer, type ApiQuestion, testApiServer } from '../k8s/api/test-api-server.ts'
import { projectPath } from '../project.ts'
import { requireRights } from './k8s.ts'

const shown = ({ verb, group, resource }: Right) => `${verb} ${group}/${resource}`

const attributesOf = ({ body }: ApiQuestion) => JSON.parse(body).spec.resourceAttributes

async function requiredOf(rights: readonly Right[], answer: (question: ApiQuestion) => ApiAnswer) {
  const { socket, requests } = await testApiServer(answer)
  const cluster = clusterAt({ socket, namespace: 'loads', close: async () => {} })
  const error = await requireRights(cluster, rights).catch((thrown) => thrown)
  return { requests, error }
}

const isAllowed = (allowed: boolean): ApiAnswer => ({ status: 201, body: { status: { allowed } } })

test('lists all missing rights', async () => {
  const { requests, error } = await requiredOf(rightsOfGather({ deletes: false }), (question) => {
    const { resource, subresource } = attributesOf(question)
    return isAllowed(resource !== 'events' && subresource !== 'proxy')
  })
  expect(error).toMatchObject({
    message: 'namespace loads: the cluster does not let you list events, get pods/proxy',
    hint: expect.stringContaining('`kubectl auth can-i list events -n loads`'),
    exitCode: 3,
  })
  expect(requests.map(attributesOf)).toContainEqual({
    namespace: 'loads',
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource: 'proxy',
  })
})

test('names a subresource as kubectl does', async () => {
  const right = { verb: 'patch', group: '', resource: 'pods/proxy' }
  const { error } = await requiredOf([right], () => isAllowed(false))
  expect(error.hint).toContain('`kubectl auth can-i patch pods --subresource=proxy -n loads`')
})

test.each([
  ['all is allowed', isAllowed(true)],
  ['the cluster does not report rights', { status: 403, body: { kind: 'Status', message: 'no' } }],
])('no right is missing if %s', async (_, answer) => {
  const { requests, error } = await requiredOf(rightsOfRun({ hasResultsPod: true }), () => answer)
  expect(error).toBeUndefined()
  expect(requests).toHaveLength(rightsOfRun({ hasResultsPod: true }).length)
})

test('runners that push to this process need no right on pods', () => {
  const without = new Set(rightsOfRun({ hasResultsPod: false }).map(shown))
  const more = rightsOfRun({ hasResultsPod: true }).map(shown)
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
  const needed = [...rightsOfRun({ hasResultsPod: true }), ...rightsOfGather({ deletes: true })].map(shown)
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
