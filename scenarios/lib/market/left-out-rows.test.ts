import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { findLeftOutRows } from './left-out-rows.ts'

const list = vi.hoisted(() => ({ count: (_query: Record<string, string>): number => 26, status: 200 }))

vi.mock('../requests/request.ts', () => ({}))
vi.mock('../requests/request-parsed.ts', () => ({
  requestParsed: async (_: Target, { query }: { query: Record<string, string> }) => {
    const status = query.window === undefined ? 200 : list.status
    const json = { data: [], pagination: { total: list.count(query) } }
    return { status, json, evidence: () => `-> ${status}` }
  },
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

beforeEach(() => Object.assign(list, { count: () => 26, status: 200 }))

const find = () => findLeftOutRows({} as Target, [{ window: '1h' }, { window: '1w' }]) // as: unused

test('finds a window with fewer pools', async () => {
  list.count = ({ window }) => (window === '1w' ? 25 : 26)
  expect((await find())?.problem).toMatch(
    /^\{"window":"1w"\}: 25 of 26 pools: fewer pools than the plain list in each of 4 attempts/,
  )
})

test('a window that counts all pools, or more', async () => {
  list.count = ({ window }) => (window === '1w' ? 27 : 26)
  expect(await find()).toBeUndefined()
})

test('a rejected window', async () => {
  Object.assign(list, { status: 400, count: ({ window }: { window?: string }) => (window ? 0 : 26) })
  expect(await find()).toBeUndefined()
})

test('a replica that is behind by less than the attempts take', async () => {
  let reads = 0
  list.count = ({ window }) => (window === '1w' && ++reads < 4 ? 25 : 26)
  expect(await find()).toBeUndefined()
})

test('a list that got shorter', async () => {
  let plain = 0
  list.count = ({ window }) => (window !== undefined || ++plain > 1 ? 25 : 26)
  expect(await find()).toBeUndefined()
})
