import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { CannotJudge, NotServed } from '../verdict/judge.ts'
import { mustBeServed } from './must-be-served.ts'

const stub = vi.hoisted(() => ({ filtered: [] as number[], plain: 200 }))

vi.mock('./request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
}))
vi.mock('./request-parsed.ts', () => ({
  requestParsed: async (_: Target, { query }: { query?: object }) => {
    const status = query === undefined ? stub.plain : (stub.filtered.shift() ?? 200)
    return { status, evidence: () => `-> ${status}` }
  },
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

const TARGET = {} as Target // as: unused
const check = () => mustBeServed(TARGET, { path: '/swaps', query: { pool: 'p' } }, { path: '/swaps' })

beforeEach(() => Object.assign(stub, { filtered: [], plain: 200 }))

test.each([
  { why: 'at once', filtered: [200] },
  { why: 'at a later try', filtered: [404, 404, 200] },
])('returns a served reply: $why', async ({ filtered }) => {
  stub.filtered = filtered
  expect((await check()).status).toBe(200)
})

test.each([
  { why: 'a persistent rejection while the sibling is served', filtered: [404, 404, 404, 404] },
  { why: 'an error, which is persistent if it is returned', filtered: [500] },
  { why: 'no response', filtered: [0] },
])('is never served: $why', async ({ filtered }) => {
  stub.filtered = filtered
  await expect(check()).rejects.toThrow(NotServed)
})

test.each([
  { why: 'the sibling is not served either', filtered: [404, 404, 404, 404], plain: 404 },
  { why: 'neither it nor the sibling is served', filtered: [500], plain: 500 },
  { why: 'the rejections differ', filtered: [404, 400, 404, 404], plain: 200 },
  { why: 'a firewall may have rejected it', filtered: [403], plain: 200 },
  { why: 'it is neither served nor rejected', filtered: [204], plain: 200 },
])('stays open: $why', async (seen) => {
  Object.assign(stub, seen)
  const error = await check().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CannotJudge)
  expect(error).not.toBeInstanceOf(NotServed)
})
