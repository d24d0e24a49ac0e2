import { expect, test } from 'vitest'
import { createTestBed, statsRoom, told } from '../../gateway/test-bed.ts'

const fault = 'feed-mute-room'

test('no event of the room comes for a while; the socket answers, and other rooms come', async () => {
  const bed = await createTestBed()
  const [pool] = bed.pools
  if (!pool) throw new Error('no pools')
  const client = await bed.join('pool_launches')
  client.send({ action: 'subscribe', room: statsRoom(pool) })
  await client.synchronize()
  bed.inject({ fault, where: { rooms: ['pool_launches'] }, muteMs: 1000 })
  const block = { launches: [pool], poolStats: [pool] }
  bed.emit(block)
  bed.clock.advance(999)
  bed.emit(block)
  expect(told(await client.synchronize())).toEqual([`PoolStats 8-${pool.id}`, `PoolStats 8-${pool.id}`])
  bed.clock.advance(1)
  bed.faults.clear()
  bed.emit({ launches: [pool] })
  expect(told(await client.synchronize())).toEqual([`PoolLaunch ${pool.id}`])
})

test('decides once for each spell, on the first event that is lost', async () => {
  const bed = await createTestBed()
  const client = await bed.join('pool_launches')
  bed.inject({ fault, muteMs: 1000, when: { every: 2 } })
  const ids = bed.pools.slice(0, 5).map(({ id }) => id)
  for (const pool of bed.pools.slice(0, 5)) {
    bed.emit({ launches: [pool] })
    bed.clock.advance(400)
  }
  expect(told(await client.synchronize())).toEqual([`PoolLaunch ${ids[0]}`, `PoolLaunch ${ids[4]}`])
  expect(bed.decisions()).toEqual([
    'PoolLaunch of block 8 in pool_launches',
    'PoolLaunch of block 8 in pool_launches!',
    'PoolLaunch of block 8 in pool_launches',
  ])
})

test('mutes the rooms of those who are named, and of nobody else', async () => {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const [mute, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, where: { clients: { addresses: [alice.address] } } })
  bed.emit({ launches: bed.pools.slice(0, 2) })
  expect(await mute.synchronize()).toEqual([])
  expect(await other.synchronize()).toHaveLength(2)
  expect(bed.decisions()).toEqual(['PoolLaunch of block 8 in pool_launches of socket 1!'])
})

test('events come again when its time ends', async () => {
  const bed = await createTestBed()
  const client = await bed.join('pool_launches')
  bed.inject({ fault, when: { forMs: 1000 } })
  bed.emit({ launches: bed.pools.slice(0, 1) })
  bed.clock.advance(1000)
  bed.emit({ launches: bed.pools.slice(1, 2) })
  expect(told(await client.synchronize())).toEqual([`PoolLaunch ${bed.pools[1]?.id}`])
})
