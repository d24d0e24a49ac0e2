import { expect, test } from 'vitest'
import { createTestBed, told } from '../../gateway/test-bed.ts'

const fault = 'feed-duplicate'

async function duplicateBed(options: object) {
  const bed = await createTestBed()
  const client = await bed.join('pool_launches')
  bed.inject({ fault, ...options })
  const launch = (place: number) => `PoolLaunch ${bed.pools[place]?.id}`
  return { bed, client, launch }
}

test('an event comes twice, the same both times', async () => {
  const { bed, client, launch } = await duplicateBed({ when: { every: 2 } })
  bed.emit({ launches: bed.pools.slice(0, 2) })
  const messages = await client.synchronize()
  expect(told(messages)).toEqual([launch(0), launch(1), launch(1)])
  expect(messages[2]).toEqual(messages[1])
  expect(bed.gateway.events()).toEqual({ sent: 3, dropped: 0 })
})

test('the second comes after a while, and resync_required behind it, if told so', async () => {
  const { bed, client, launch } = await duplicateBed({ againAfterMs: 500, resync: true })
  bed.emit({ launches: bed.pools.slice(0, 1) })
  expect(told(await client.synchronize())).toEqual([launch(0)])
  bed.clock.advance(500)
  expect(told(await client.synchronize())).toEqual([launch(0), 'resync_required'])
})
