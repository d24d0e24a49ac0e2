import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import type { RequestSpec } from '../requests/request.ts'
import { listsPool, readListedPool } from './read-listed-pool.ts'

const stub = vi.hoisted(() => ({
  /** Statuses of successive reads of the pool; the last one repeats. */
  statuses: [] as number[],
  listed: [] as string[],
}))

vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../requests/request.ts', () => ({
  request: async (_: Target, { path, query }: RequestSpec) => {
    if (path === '/pools/a%3Ab') {
      const status = (stub.statuses.length > 1 ? stub.statuses.shift() : stub.statuses[0]) ?? 200
      return { status, json: { data: { key: 'a:b' } }, evidence: () => '' }
    }
    const rows = stub.listed.map((key) => ({ key })).slice(Number(query?.offset))
    return { status: 200, json: { data: rows, pagination: { total: rows.length } }, evidence: () => '' }
  },
}))

const TARGET = {} as Target // as: unused

beforeEach(() => Object.assign(stub, { statuses: [200], listed: ['c:d', 'a:b'] }))

function read() {
  return readListedPool(TARGET, { key: 'a:b', isListed: () => listsPool(TARGET, '/pools', 'a:b') })
}

test.each([
  { statuses: [200], listed: ['a:b'], status: 200, why: 'an existing pool' },
  { statuses: [404, 404, 200], listed: ['a:b'], status: 200, why: 'a lagging replica' },
  {
    statuses: [404],
    listed: ['c:d', 'a:b'],
    status: 404,
    why: 'a listed pool that is never served',
  },
  { statuses: [404], listed: ['c:d'], status: undefined, why: 'a pool that is no longer listed' },
])('reads $why as $status', async ({ statuses, listed, status }) => {
  Object.assign(stub, { statuses, listed })
  expect((await read())?.status).toBe(status)
})
