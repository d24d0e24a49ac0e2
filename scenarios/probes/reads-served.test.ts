import { beforeEach, expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Credential, RequestSpec } from '../lib/requests/request.ts'
import { readAll, readsServedTo, readsServedToExpired } from './reads-served.ts'

const stub = vi.hoisted(() => ({ requested: [] as string[], served: [] as string[], pools: [{}] }))

// Needs k6.
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status === 200,
  request: async (_: Target, { path, query, credential }: RequestSpec) => {
    const sent = `${path}${query === undefined ? '' : ` ${Object.values(query).join()}`} ${describe(credential)}`
    stub.requested.push(sent)
    return { status: stub.served.includes(sent) ? 200 : 401, path, json: { data: stub.pools } }
  },
}))

beforeEach(() => Object.assign(stub, { requested: [], served: [], pools: [{ token0: 'a', token1: 'b' }] }))

function describe(credential: Credential | undefined): string {
  if (credential === undefined) return 'nothing'
  return 'bearer' in credential ? credential.bearer : credential.cookie
}

const target = (choices: object = {}): Target =>
  ({ profile: { choices: choicesSchema.parse(choices) } }) as Target // as: the rest is unused

const DATA = ['/swaps', '/unclaimed', '/fee-tiers', '/schema/trading', '/access/status', '/referral/status']
const ROUTE = '/route a,b,1000000'
const SESSION = { cookie: 'sid=1', csrf: undefined }

test('a session reads all of them, and a route between the tokens of a pool', async () => {
  await readAll(target({ positionsPath: '/mine', balancesPath: null }), SESSION)
  const paths = ['/auth/sessions', '/api-tokens', '/auth/ws-ticket', ...DATA, '/mine', ROUTE]
  expect(stub.requested).toEqual(['/pools 1 nothing', ...paths.map((path) => `${path} sid=1`)])
})

test('an API token reads what it may, and without a pool no route', async () => {
  stub.pools = []
  const one = target({ positionsPath: null, balancesPath: null })
  await readAll(one, { bearer: 'ss_1' })
  await readAll(one, { bearer: 'ss_2' })
  const reads = ['/auth/ws-ticket', ...DATA]
  expect(stub.requested).toEqual([
    '/pools 1 nothing',
    ...reads.map((path) => `${path} ss_1`),
    ...reads.map((path) => `${path} ss_2`),
  ])
})

test('what is served to a credential counts, unless it is served to anybody', async () => {
  stub.served = ['/fee-tiers sid=1', '/swaps sid=1', '/swaps nothing', `${ROUTE} sid=1`]
  expect(await readsServedTo(target(), SESSION)).toMatchObject([{ path: '/fee-tiers' }, { path: '/route' }])
})

const cookies = new Map([
  ['sid', '1'],
  ['renewal', '2'],
])

test('an expired access cookie is sent alone', async () => {
  const named = target({ cookies: { access: 'sid', refresh: 'renewal' } })
  stub.served = ['/auth/sessions sid=1']
  expect(await readsServedToExpired(named, { cookies })).toMatchObject([{ path: '/auth/sessions' }])
})

test('if the profile does not name the access cookie, paths of the refresh cookie are left out', async () => {
  const unnamed = target({ cookies: { access: null, refresh: null } })
  stub.served = ['/auth/sessions sid=1; renewal=2', '/unclaimed sid=1; renewal=2']
  expect(await readsServedToExpired(unnamed, { cookies })).toMatchObject([{ path: '/unclaimed' }])
})
