import { expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { GaveUp } from '../client/patient.ts'
import { requestParsed } from './request-parsed.ts'

const bodies = vi.hoisted(() => [] as unknown[])

vi.mock('./request.ts', () => ({
  request: async () => ({ status: 200, json: bodies.shift(), evidence: () => 'cut' }),
  orPersistent: (_target: unknown, _spec: unknown, error: unknown) => Promise.reject(error),
}))

const TARGET = {} as Target // as: nothing of it is read

test.each([
  { answered: [{ data: 1 }, { data: 2 }], json: { data: 1 }, why: 'at once' },
  { answered: [undefined, undefined, { data: 3 }], json: { data: 3 }, why: 'at the third try' },
  { answered: [null], json: null, why: 'even if it is null' },
])('hands on what parses: $why', async ({ answered, json }) => {
  bodies.splice(0, bodies.length, ...answered)
  expect((await requestParsed(TARGET, { path: '/pools' })).json).toEqual(json)
})

test('what parses at no try is looked into, and open where nobody does', async () => {
  bodies.splice(0, bodies.length, undefined, undefined, undefined, { data: 4 })
  await expect(requestParsed(TARGET, { path: '/pools' })).rejects.toThrow(GaveUp)
  expect(bodies).toEqual([{ data: 4 }])
})
