// Several gateway nodes behind one address: shared tickets and limits, and a node that restarts alone.
import { expect, test } from 'vitest'
import { RESTART } from './feed-protocol.ts'
import { createTestBed, statsRoom } from './test-bed.ts'

test('connections go to the nodes in turn', async () => {
  const { connect, gateway } = await createTestBed({ nodes: 3 })
  for (let opened = 0; opened < 5; opened++) await connect()
  expect(gateway.sockets().map(({ node }) => node)).toEqual([1, 2, 3, 1, 2])
})

test('every node knows a ticket, and it works once across all of them', async () => {
  const { connect, issueTicket, wallets, signIn } = await createTestBed({ nodes: 2 })
  const [first, second] = [await signIn(), await signIn()]
  const token = issueTicket(wallets.alice)
  second.send({ action: 'authenticate', token })
  expect(await second.next('authenticated')).toEqual({ control: 'authenticated' })
  const third = await connect()
  third.send({ action: 'authenticate', token })
  expect((await third.closed).code).toBe(4401)
  expect(await first.settle()).toEqual([])
})

test('an event reaches the room on every node, and a node that restarts closes only its own sockets', async () => {
  const { emit, gateway, join, pools } = await createTestBed({ nodes: 2 })
  const [pool] = pools
  if (!pool) throw new Error('no pool')
  const clients = [await join(statsRoom(pool)), await join(statsRoom(pool)), await join(statsRoom(pool))]
  emit({ poolStats: [pool] })
  for (const client of clients) expect(await client.synchronize()).toHaveLength(1)
  expect(gateway.restart(1)).toBe(2)
  expect([await clients[0]?.closed, await clients[2]?.closed]).toEqual([RESTART, RESTART])
  emit({ poolStats: [pool] })
  expect(await clients[1]?.synchronize()).toHaveLength(1)
  const again = await join(statsRoom(pool))
  emit({ poolStats: [pool] })
  expect(await again.synchronize()).toHaveLength(1)
  expect(gateway.sockets().map(({ node }) => node)).toEqual([2, 2])
  expect(gateway.restart(1)).toBe(0)
  expect(gateway.restart()).toBe(2)
})
