import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { reconnectRefetches } from './reconnect-refetches.ts'

function reconnect(read: Parameters<ReturnType<typeof createTestBed>['ask']>[0], rooms = ['trades:a b']) {
  const bed = createTestBed(reconnectRefetches)
  bed.ask({ url: '/auth/ws-ticket' })
  bed.ask(read)
  bed
    .open()
    .authenticate()
    .join(...rooms)
    .end()
  bed.pass(1000)
  bed.open().authenticate()
  return bed
}

test.each([
  ['trades:a b', '/pools/a%20b/trades?limit=10', '/pools/a%20b/trades'],
  ['balances:bw1wallet', '/balances', '/balances'],
  ['protocol_config', '/protocol/state', '/protocol/state'],
  ['pool_launches', '/explore/pools?limit=10', '/explore/pools'],
])('accuses who had read what %s tells of, and does not again', (room, url, path) => {
  const { pass, found } = reconnect({ url }, [room])
  pass(30_000)
  expect(found()).toEqual([
    `socket 2 is there in place of a lost one for 30 s, and nothing was read again, such as ${path}`,
  ])
})

test('accuses for reads without a credential from the same program', () => {
  const { pass, found } = reconnect({ ...STRANGER, url: '/pools/a%20b/stats' })
  pass(30_000)
  expect(found()).toHaveLength(1)
})

test('lets pass who reads some of it again, be it without a credential, or not answered', () => {
  const { arrive, pass, found, cases } = reconnect({ url: '/pools/a%20b/stats' })
  pass(29_000)
  arrive({ ...STRANGER, userAgent: 'another program', url: '/pools/a%20b/ohlcv' })
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test.each([
  ['another pool', { url: '/pools/other/stats' }],
  ['a list, in which the pool was looked for', { url: '/explore/pools?limit=1' }],
  ['the pool, by another program', { ...STRANGER, userAgent: 'another', url: '/pools/a%20b/stats' }],
])('lets pass who had read %s', (_what, read) => {
  const { pass, found } = reconnect(read)
  pass(30_000)
  expect(found()).toEqual([])
})
