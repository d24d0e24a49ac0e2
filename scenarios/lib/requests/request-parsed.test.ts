import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { GaveUp } from './patient.ts'
import { replyObserver } from './reply.ts'
import { requestParsed } from './request-parsed.ts'

const bodies = vi.hoisted(() => [] as unknown[])
const stub = vi.hoisted(() => ({ contentType: 'application/json', isPersistent: false }))

vi.mock('./request.ts', () => ({
  isSuccess: ({ status }: { status: number }) => status < 300,
  request: async () => ({
    status: 200,
    json: bodies.shift(),
    text: 'cut',
    contentType: stub.contentType,
    evidence: () => 'cut',
  }),
  orPersistent: (_target: unknown, _spec: unknown, error: GaveUp) =>
    stub.isPersistent ? error.reply : Promise.reject(error),
}))

beforeEach(() => {
  Object.assign(stub, { contentType: 'application/json', isPersistent: false })
  delete replyObserver.neverParsed
})

const TARGET = {} as Target // as: unused

test.each([
  { sent: [{ data: 1 }, { data: 2 }], json: { data: 1 }, why: 'at once' },
  { sent: [undefined, undefined, { data: 3 }], json: { data: 3 }, why: 'at the third attempt' },
  { sent: [null], json: null, why: 'even if it is null' },
])('returns a body that parses: $why', async ({ sent, json }) => {
  bodies.splice(0, bodies.length, ...sent)
  expect((await requestParsed(TARGET, { path: '/pools' })).json).toEqual(json)
})

test('a body that never parses is confirmed, or stays open without confirmation', async () => {
  bodies.splice(0, bodies.length, undefined, undefined, undefined, { data: 4 })
  await expect(requestParsed(TARGET, { path: '/pools' })).rejects.toThrow(GaveUp)
  expect(bodies).toEqual([{ data: 4 }])
})

test.each([
  { contentType: 'application/json', tries: 3, why: 'after three attempts' },
  { contentType: 'text/html', tries: 1, why: 'at once, because a page was confirmed before' },
])('a body that never parses is returned and recorded: $why', async ({ contentType, tries }) => {
  Object.assign(stub, { contentType, isPersistent: true })
  bodies.splice(0, bodies.length, undefined, undefined, undefined)
  const noted: string[] = []
  replyObserver.neverParsed = ({ path }) => noted.push(path)
  expect((await requestParsed(TARGET, { path: '/pools' })).json).toBeUndefined()
  expect([noted, bodies.length]).toEqual([['/pools'], 3 - tries])
})
