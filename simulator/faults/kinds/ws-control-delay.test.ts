import { expect, test } from 'vitest'
import { createTestBed, summarize } from '../../gateway/test-bed.ts'

const fault = 'ws-control-delay'

test('synchronized comes late, and events come before it', async () => {
  const bed = await createTestBed()
  const client = await bed.join('pool_launches')
  bed.inject({ fault, delayMs: 1000 })
  client.send({ action: 'synchronize' })
  await client.settle()
  bed.emit({ launches: bed.pools.slice(0, 1) })
  bed.clock.advance(999)
  expect(summarize(await client.settle())).toEqual([`PoolLaunch ${bed.pools[0]?.id}`])
  bed.clock.advance(1)
  expect(summarize(await client.settle())).toEqual(['synchronized'])
  expect(bed.decisions()).toEqual(['synchronized to socket 1!'])
})

test('only the given controls come late, and only for the given clients', async () => {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const [client, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  const where = { clients: { addresses: [alice.address] } }
  bed.inject({ fault, where, controls: ['resync_*', 'error'], delayMs: 1000 })
  client.send('nonsense')
  bed.gateway.requireResync()
  expect(await client.synchronize()).toEqual([])
  expect(summarize(await other.synchronize())).toEqual(['resync_required'])
  bed.clock.advance(1000)
  expect(summarize(await client.synchronize())).toEqual(['resync_required', 'error'])
})

test('delays add up; a socket that has closed before gets nothing', async () => {
  const bed = await createTestBed()
  const client = await bed.signIn()
  bed.inject({ fault, delayMs: 1000 }, { fault, delayMs: 500 })
  client.send({ action: 'synchronize' })
  await client.settle()
  bed.clock.advance(1499)
  expect(await client.settle()).toEqual([])
  bed.clock.advance(1)
  expect(summarize(await client.settle())).toEqual(['synchronized'])
  client.send({ action: 'synchronize' })
  await client.settle()
  bed.gateway.restart()
  bed.clock.advance(1500)
  await client.closed
  await expect(client.next('synchronized')).rejects.toThrow('closed with 1012')
})
