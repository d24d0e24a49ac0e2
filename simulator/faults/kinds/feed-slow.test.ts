import { expect, test } from 'vitest'
import { createTestBed, told } from '../../gateway/test-bed.ts'

const fault = 'feed-slow'

async function slowBed() {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const [slow, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, stallMs: 1000, where: { clients: { addresses: [alice.address] } } })
  const dropped = () => bed.gateway.sockets().map(({ droppedEvents }) => droppedEvents)
  return { bed, slow, other, dropped }
}

test('what goes out to a socket waits, and comes in order', async () => {
  const { bed, slow, other } = await slowBed()
  bed.emit({ launches: bed.pools.slice(0, 2) })
  slow.socket.ping()
  expect(await other.synchronize()).toHaveLength(2)
  bed.clock.advance(999)
  await other.settle()
  const came = slow.synchronize()
  bed.clock.advance(1)
  expect(told(await came)).toEqual([0, 1].map((place) => `PoolLaunch ${bed.pools[place]?.id}`))
})

test('beyond what is kept unsent events are dropped, and resync_required follows', async () => {
  const { bed, slow, other, dropped } = await slowBed()
  const launches = Array.from({ length: 5 }, () => bed.pools).flat()
  while (dropped()[0] === 0) {
    bed.emit({ launches })
    await other.settle()
  }
  expect(dropped()[1]).toBe(0)
  bed.clock.advance(1000)
  expect(await slow.next('resync_required')).toEqual({ control: 'resync_required' })
  bed.emit({ launches: bed.pools.slice(0, 1) })
  expect(await slow.synchronize()).toHaveLength(1)
})

test('what waits goes out when the plan is cleared', async () => {
  const { bed, slow } = await slowBed()
  bed.emit({ launches: bed.pools.slice(0, 1) })
  bed.faults.clear()
  expect(await slow.synchronize()).toHaveLength(1)
})
