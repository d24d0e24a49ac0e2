import { expect, test } from 'vitest'
import { createTestBed, told } from '../../gateway/test-bed.ts'

const fault = 'feed-late'
const ROOM = 'pool_launches'

async function lateBed(options: object) {
  const bed = await createTestBed()
  const client = await bed.join(ROOM)
  bed.inject({ fault, delayMs: 1000, ...options })
  const emit = (place: number) => bed.emit({ launches: bed.pools.slice(place, place + 1) })
  const launch = (place: number) => `PoolLaunch ${bed.pools[place]?.id}`
  return { bed, client, emit, launch }
}

test('an event comes late, and those behind it overtake it', async () => {
  const { bed, client, emit, launch } = await lateBed({ when: { times: 1 } })
  emit(0)
  emit(1)
  bed.clock.advance(999)
  expect(told(await client.synchronize())).toEqual([launch(1)])
  bed.clock.advance(1)
  expect(told(await client.synchronize())).toEqual([launch(0)])
})

test('resync_required follows it, if told so', async () => {
  const { bed, client, emit, launch } = await lateBed({ resync: true })
  emit(0)
  expect(await client.synchronize()).toEqual([])
  bed.clock.advance(1000)
  expect(told(await client.synchronize())).toEqual([launch(0), 'resync_required'])
})

test('goes to those who are in the room then', async () => {
  const { bed, client, emit, launch } = await lateBed({})
  emit(0)
  const joiner = await bed.join(ROOM)
  client.send({ action: 'unsubscribe', room: ROOM })
  await client.synchronize()
  bed.clock.advance(1000)
  expect(told(await joiner.synchronize())).toEqual([launch(0)])
  expect(await client.synchronize()).toEqual([])
})

test('where clients are named, goes to the socket that it is about, if it is still there', async () => {
  const { bed, client, emit, launch } = await lateBed({ where: { clients: { addresses: ['*'] } } })
  const leaver = await bed.join(ROOM)
  emit(0)
  const joiner = await bed.join(ROOM)
  leaver.send({ action: 'unsubscribe', room: ROOM })
  expect(await leaver.synchronize()).toEqual([])
  bed.clock.advance(1000)
  expect(told(await client.synchronize())).toEqual([launch(0)])
  for (const other of [leaver, joiner]) expect(await other.synchronize()).toEqual([])
})

test('what is under way still comes when the plan is cleared, but not after the world has gone back', async () => {
  const { bed, client, emit, launch } = await lateBed({})
  emit(0)
  bed.faults.clear()
  bed.clock.advance(1000)
  expect(told(await client.synchronize())).toEqual([launch(0)])
  bed.inject({ fault, delayMs: 1000 })
  emit(1)
  bed.gateway.requireResync()
  bed.clock.advance(1000)
  expect(told(await client.synchronize())).toEqual(['resync_required'])
})
