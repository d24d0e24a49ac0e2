import { expect, test } from 'vitest'
import { createTestBed, WALLET } from '../test-bed.ts'
import { poolsKeyAsGiven } from './pools-key-as-given.ts'

const READ = { url: '/pools/KEY/stats', route: '/pools/:key/stats' }

test('accuses of another spelling in a path, and in a room', () => {
  const { ask, open, pass, found } = createTestBed(poolsKeyAsGiven)
  ask({ ...READ, status: 404, code: 'pool_not_found', respelledKey: 'key' })
  pass(60_000)
  const socket = open().authenticate({ wallet: WALLET })
  socket.frame({ action: 'subscribe', room: 'trades:KEY', refusal: 'room_unknown', respelledKey: 'key' })
  expect(found()).toEqual([
    'asked for a pool by another spelling of its key, which is "key"',
    'subscribed to "trades:KEY", another spelling of the key "key"',
  ])
})

test('lets pass a key that is like none: the pool may be gone', () => {
  const { ask, open, found, cases } = createTestBed(poolsKeyAsGiven)
  ask({ ...READ, status: 404, code: 'pool_not_found' })
  open()
    .authenticate()
    .frame({ action: 'subscribe', room: 'trades:x', refusal: 'room_unknown', respelledKey: null })
  expect([found(), cases()]).toEqual([[], 2])
})
