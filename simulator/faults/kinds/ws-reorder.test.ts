import { expect, test } from 'vitest'
import { createTestBed, summarize } from '../../gateway/test-bed.ts'

const fault = 'ws-reorder'

async function reorderBed(options: object) {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const [client, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, atMostMs: 1000, ...options })
  const launch = (place: number) => `PoolLaunch ${bed.pools[place]?.id}`
  return { bed, client, other, launch }
}

test('an event goes after the next one, within a block and across blocks', async () => {
  const { bed, client, launch } = await reorderBed({})
  bed.emit({ launches: bed.pools.slice(0, 3) })
  bed.emit({ launches: bed.pools.slice(3, 5) })
  expect(summarize(await client.synchronize())).toEqual([launch(1), launch(0), launch(3), launch(2)])
  bed.clock.advance(999)
  expect(await client.synchronize()).toEqual([])
  bed.clock.advance(1)
  expect(summarize(await client.synchronize())).toEqual([launch(4)])
})

test('an event that was released by its timeout is not sent again', async () => {
  const { bed, client, launch } = await reorderBed({})
  bed.emit({ launches: bed.pools.slice(0, 1) })
  bed.clock.advance(1000)
  bed.emit({ launches: bed.pools.slice(1, 3) })
  expect(summarize(await client.synchronize())).toEqual([launch(0), launch(2), launch(1)])
  bed.clock.advance(5000)
  expect(await client.synchronize()).toEqual([])
})

test('resync_required follows the held event, if configured', async () => {
  const { bed, client, launch } = await reorderBed({ resync: true, when: { times: 1 } })
  bed.emit({ launches: bed.pools.slice(0, 3) })
  expect(summarize(await client.synchronize())).toEqual([launch(1), launch(0), 'resync_required', launch(2)])
})

test('if clients are given, only they get another order', async () => {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const [client, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, where: { clients: { addresses: [alice.address] } } })
  bed.emit({ launches: bed.pools.slice(0, 2) })
  const inOrder = summarize(await other.synchronize())
  expect(summarize(await client.synchronize())).toEqual(inOrder.toReversed())
  expect(inOrder).toHaveLength(2)
})

test('each room has its own order', async () => {
  const { bed, client } = await reorderBed({})
  const [pool] = bed.pools
  if (!pool) throw new Error('no pools')
  client.send({ action: 'subscribe', room: `pool_stats:${pool.key}` })
  await client.synchronize()
  bed.emit({ launches: [pool], poolStats: [pool] })
  expect(await client.synchronize()).toEqual([])
  bed.emit({ launches: bed.pools.slice(1, 2) })
  expect(summarize(await client.synchronize())).toEqual([
    `PoolLaunch ${bed.pools[1]?.id}`,
    `PoolLaunch ${pool.id}`,
  ])
})

test('a lost event does not release the held one', async () => {
  const bed = await createTestBed()
  const client = await bed.join('pool_launches')
  bed.inject({ fault, when: { times: 1 } }, { fault: 'ws-drop', when: { times: 1 } })
  bed.emit({ launches: bed.pools.slice(0, 4) })
  const [, , third, fourth] = bed.pools.map(({ id }) => `PoolLaunch ${id}`)
  const first = `PoolLaunch ${bed.pools[0]?.id}`
  expect(summarize(await client.synchronize())).toEqual([third, first, fourth])
})
