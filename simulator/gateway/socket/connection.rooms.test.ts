import { expect, test } from 'vitest'
import { createTestBed, statsRoom } from '../test-bed.ts'

const subscribe = (room: string) => ({ action: 'subscribe', room })
const unsubscribe = (room: string) => ({ action: 'unsubscribe', room })
const error = (code: string, room: string) => ({ control: 'error', code, room })

test('joins 32 rooms, all of which deliver, and rejects the 33rd', async () => {
  const { emit, gateway, pools, signIn } = await createTestBed()
  const client = await signIn()
  const rooms = pools.map(statsRoom)
  for (const room of rooms.slice(0, 33)) client.send(subscribe(room))
  expect(await client.synchronize()).toEqual([error('rooms_full', String(rooms[32]))])
  expect(gateway.sockets()).toMatchObject([{ rooms: 32 }])
  emit({ poolStats: pools })
  const delivered = (await client.synchronize()).map(({ data }) => data?.pool)
  expect(delivered).toEqual(pools.slice(0, 32).map(({ key }) => key))
})

test('joining a room again does not count', async () => {
  const { emit, pools, signIn } = await createTestBed()
  const client = await signIn()
  const rooms = pools.slice(0, 32).map(statsRoom)
  for (const room of [...rooms, ...rooms]) client.send(subscribe(room))
  expect(await client.synchronize()).toEqual([])
  emit({ poolStats: pools.slice(0, 1) })
  expect(await client.synchronize()).toHaveLength(1)
})

test('unsubscribe leaves a room and frees its place', async () => {
  const { emit, pools, signIn } = await createTestBed()
  const client = await signIn()
  const rooms = pools.slice(0, 32).map(statsRoom)
  for (const room of rooms) client.send(subscribe(room))
  client.send(unsubscribe(String(rooms[0])))
  client.send(subscribe('pool_launches'))
  expect(await client.synchronize()).toEqual([])
  emit({ poolStats: pools.slice(0, 2) })
  expect((await client.synchronize()).map(({ data }) => data?.pool)).toEqual([pools[1]?.key])
})

test('unsubscribe from a room that was not joined does nothing', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  client.send(unsubscribe('pool_launches'))
  client.send(unsubscribe('nonsense'))
  expect(await client.synchronize()).toEqual([])
})

test.each([
  '',
  'nonsense',
  'pool_stats:',
  'pool_stats:unknown',
  'ohlcv:unknown',
  'trades:unknown',
  'pool_launches:x',
  'balances:',
  '__proto__',
])('rejects the room %j', async (room) => {
  const { gateway, signIn } = await createTestBed()
  const client = await signIn()
  client.send(subscribe(room))
  expect(await client.synchronize()).toEqual([error('room_unknown', room)])
  expect(gateway.sockets()).toMatchObject([{ rooms: 0 }])
})

test('rejected rooms take no place', async () => {
  const { gateway, pools, signIn, wallets } = await createTestBed()
  const client = await signIn()
  for (let count = 0; count < 10; count++) client.send(subscribe('nonsense'))
  client.send(subscribe(`balances:${wallets.bob.address}`))
  for (const pool of pools.slice(0, 32)) client.send(subscribe(statsRoom(pool)))
  await client.synchronize()
  expect(gateway.sockets()).toMatchObject([{ rooms: 32 }])
})

test("joins the balance room of the ticket's own address only", async () => {
  const { emit, pools, signIn, wallets } = await createTestBed()
  const token = pools[0]?.token0
  if (!token) throw new Error('no token')
  const { alice, bob } = wallets
  const client = await signIn(alice)
  const owner = await signIn(bob)
  client.send(subscribe(`balances:${alice.address}`))
  client.send(subscribe(`balances:${bob.address}`))
  owner.send(subscribe(`balances:${bob.address}`))
  expect(await client.synchronize()).toEqual([error('room_forbidden', `balances:${bob.address}`)])
  expect(await owner.synchronize()).toEqual([])
  emit({
    balanceChanges: [alice, bob].map(({ address }) => ({
      address,
      token,
      delta: -5n,
      balance: 7n,
      block: 8,
    })),
  })
  expect((await client.synchronize()).map(({ data }) => data?.address)).toEqual([alice.address])
  expect((await owner.synchronize()).map(({ data }) => data?.address)).toEqual([bob.address])
})
