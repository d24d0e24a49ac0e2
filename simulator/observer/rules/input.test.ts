import { expect, test } from 'vitest'
import { createTestBed, STRANGER, WALLET } from '../test-bed.ts'
import { inputCanonical, poolsKeyAsGiven, poolsPagesToEnd } from './input.ts'

test('reports a rejected number in another form', () => {
  const { send, found, evidence } = createTestBed(inputCanonical)
  send({ url: '/pools?limit=1,000', status: 400, code: 'invalid_request', uncanonical: ['limit=1,000'] })
  expect(found()).toEqual(['sent limit=1,000, which was rejected'])
  expect(evidence()).toBe(1)
})

test('allows a canonical number that is rejected for its size', () => {
  const { send, found, cases } = createTestBed(inputCanonical)
  send({ url: '/pools?limit=1000', status: 400, code: 'invalid_request' })
  expect([found(), cases()]).toEqual([[], 1])
})

const READ = { url: '/pools/KEY/stats', route: '/pools/:key/stats' }

test('reports another spelling in a path and in a room', () => {
  const { send, open, pass, found } = createTestBed(poolsKeyAsGiven)
  send({ ...READ, status: 404, code: 'pool_not_found', respelledKey: 'key' })
  pass(60_000)
  const socket = open().authenticate({ wallet: WALLET })
  socket.frame({ action: 'subscribe', room: 'trades:KEY', refusal: 'room_unknown', respelledKey: 'key' })
  expect(found()).toEqual([
    'requested a pool by another spelling of its key, which is "key"',
    'subscribed to "trades:KEY", another spelling of the key "key"',
  ])
})

test('allows an unknown key: the pool may be gone', () => {
  const { send, open, found, cases } = createTestBed(poolsKeyAsGiven)
  send({ ...READ, status: 404, code: 'pool_not_found' })
  open()
    .authenticate()
    .frame({ action: 'subscribe', room: 'trades:x', refusal: 'room_unknown', respelledKey: null })
  expect([found(), cases()]).toEqual([[], 0])
})

const page = (offset: number, limit = 20) => ({
  ...STRANGER,
  url: `/pools?limit=${limit}&offset=${offset}`,
  route: '/pools',
  isEmptyPage: true,
})

test('reports a client that keeps paging past the end', () => {
  const { send, pass, found, evidence } = createTestBed(poolsPagesToEnd)
  for (const offset of [40, 60, 80]) {
    send(page(offset))
    pass(10)
  }
  expect(found()).toEqual(['requested 3 empty pages of /pools in a row, each further on, up to offset 80'])
  expect(evidence()).toBe(3)
})

test('allows ending at the empty page in every walk', () => {
  const { send, pass, found, cases } = createTestBed(poolsPagesToEnd)
  for (let walk = 0; walk < 5; walk++) {
    send({ ...page(20), isEmptyPage: false })
    send(page(40))
    pass(10)
  }
  expect([found(), cases()]).toEqual([[], 1])
})

test('allows concurrent pages', () => {
  const { arrive, pass, found } = createTestBed(poolsPagesToEnd)
  const responses = [40, 60, 80, 100].map((offset) => arrive(page(offset)))
  pass(10)
  for (const response of responses) response()
  expect(found()).toEqual([])
})

test('allows two walks that reach the end at different offsets', () => {
  const { send, pass, found } = createTestBed(poolsPagesToEnd)
  for (const [offset, limit] of [
    [40, 20],
    [50, 50],
    [100, 100],
  ] as const) {
    send(page(offset, limit))
    pass(10)
  }
  expect(found()).toEqual([])
})
