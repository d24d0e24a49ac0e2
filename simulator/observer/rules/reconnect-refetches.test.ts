import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { reconnectRefetches } from './refetches.ts'

type Bed = ReturnType<typeof createTestBed>

/** A client that made these reads, lost its socket and joins its rooms again; it is about to get `synchronized`. */
function reconnect(
  reads: readonly Parameters<Bed['send']>[0][],
  { rooms = ['trades:a b'], joins = rooms }: { rooms?: string[]; joins?: string[] } = {},
) {
  const bed = createTestBed(reconnectRefetches)
  bed.send({ url: '/auth/ws-ticket' })
  for (const read of reads) bed.send(read)
  bed
    .open()
    .authenticate()
    .join(...rooms)
    .end()
  bed.pass(1000)
  const socket = bed
    .open()
    .authenticate()
    .join(...joins)
  return { ...bed, socket }
}

const afterReconnect = (count: string, paths: string) =>
  `${count} views were not read again within 30 s of \`synchronized\` on socket 2, which replaced a lost one: ${paths}`

test.each([
  ['trades:a b', '/pools/a%20b/trades?limit=10', '/pools/a%20b/trades'],
  ['balances:bw1wallet', '/balances', '/balances'],
  ['protocol_config', '/protocol/state', '/protocol/state'],
  ['pool_launches', '/explore/pools?limit=10', '/explore/pools'],
])('reports a client that had read the data of %s and does not reread them', (room, url, path) => {
  const { socket, pass, found } = reconnect([{ url }], { rooms: [room] })
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toEqual([afterReconnect('1 of 1', path)])
})

test('reports a client that rereads before synchronized only', () => {
  const { socket, send, pass, found } = reconnect([{ url: '/pools/a%20b/trades' }])
  send({ url: '/pools/a%20b/trades' })
  pass(1)
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toEqual([afterReconnect('1 of 1', '/pools/a%20b/trades')])
})

test('reports reads without a credential from the same program', () => {
  const { socket, pass, found } = reconnect([{ ...STRANGER, url: '/pools/a%20b/stats' }])
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toHaveLength(1)
})

test('reports a client whose sockets are lost one after the other before it rereads', () => {
  const { socket, open, pass, found } = reconnect([{ url: '/pools/a%20b/trades' }])
  socket.control('synchronized')
  pass(20_000)
  socket.end()
  pass(50_000)
  open().authenticate().join('trades:a b').control('synchronized')
  pass(30_000)
  expect(found()).toHaveLength(1)
})

test('of a room whose own data the client had not read, requires some data of its pool', () => {
  const { socket, arrive, pass, found, cases } = reconnect([
    { url: '/pools/a%20b/stats' },
    { url: '/pools/a%20b/oracle' },
  ])
  socket.control('synchronized')
  pass(29_000)
  arrive({ ...STRANGER, userAgent: 'another program', url: '/pools/a%20b/ohlcv' })()
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test('counts a first `synchronized`, of a client that checks its ticket with it, for the rooms joined by then', () => {
  const { socket, send, pass, found, cases } = reconnect([{ url: '/pools/a%20b/trades' }], { joins: [] })
  socket.control('synchronized')
  pass(10_000)
  socket.join('trades:a b').control('synchronized')
  pass(29_000)
  send({ url: '/pools/a%20b/trades' })
  pass(1000)
  expect([found(), cases()]).toEqual([[], 1])
})

test.each([
  ['another pool', { url: '/pools/other/stats' }],
  ['a list that was searched for the pool', { url: '/explore/pools?limit=1' }],
  ['the pool, by another program', { ...STRANGER, userAgent: 'another', url: '/pools/a%20b/stats' }],
])('allows a client that had read %s', (_what, read) => {
  const { socket, pass, found } = reconnect([read])
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toEqual([])
})

test('allows a room that another socket of the client is in: it may belong to the program that keeps the data', () => {
  const { socket, open, pass, found } = reconnect([{ url: '/pools/a%20b/trades' }])
  open().authenticate().join('trades:a b')
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toEqual([])
})

test('reports a room that the client’s other socket has left', () => {
  const { socket, open, pass, found } = reconnect([{ url: '/pools/a%20b/trades' }])
  open().authenticate().join('trades:a b').leave()
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toHaveLength(1)
})

test('allows a client that does not join the room again', () => {
  const { socket, pass, found } = reconnect([{ url: '/pools/a%20b/trades' }], { joins: ['pool_launches'] })
  socket.control('synchronized')
  pass(30_000)
  expect(found()).toEqual([])
})
