import { expect, test } from 'vitest'
import { createTestBed, told } from '../../gateway/test-bed.ts'

const fault = 'feed-drop'
const launch = (place: number) => `PoolLaunch ${place}`

/** Each launch in a block of its own. */
async function launchAll(options: object) {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const clients = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, ...options })
  const ids = bed.pools.slice(0, 4).map(({ id }) => id)
  for (const pool of bed.pools.slice(0, 4)) bed.emit({ launches: [pool] })
  const came = []
  for (const client of clients) {
    came.push(told(await client.synchronize()).map((text) => text.replace(/\S+$/, place(ids))))
  }
  return { bed, came }
}

/** The place of an id, from 1, in its stead. */
const place = (ids: readonly string[]) => (id: string) => {
  const found = ids.indexOf(id)
  return found === -1 ? id : String(found + 1)
}

test('drops events for all who are in the room, and says nothing of it', async () => {
  const { bed, came } = await launchAll({ when: { every: 2 } })
  expect(came).toEqual([
    [launch(1), launch(3)],
    [launch(1), launch(3)],
  ])
  const decision = 'PoolLaunch of block 8 in pool_launches'
  expect(bed.decisions()).toEqual([decision, `${decision}!`, decision, `${decision}!`])
  expect(bed.gateway.events()).toEqual({ sent: 4, dropped: 0 })
})

test('sends resync_required in their place, if told so', async () => {
  const { came } = await launchAll({ resync: true, when: { times: 1 } })
  expect(came[0]).toEqual(['resync_required', launch(2), launch(3), launch(4)])
  expect(came[1]).toEqual(came[0])
})

test('decides for each socket where clients are named: one misses what another gets', async () => {
  const { bed, came } = await launchAll({
    where: { clients: { userAgents: ['*'] } },
    resync: true,
    when: { every: 3 },
  })
  expect(came).toEqual([
    [launch(1), 'resync_required', launch(3), launch(4)],
    [launch(1), launch(2), 'resync_required', launch(4)],
  ])
  expect(bed.decisions().slice(0, 4)).toEqual([
    'PoolLaunch of block 8 in pool_launches of socket 1',
    'PoolLaunch of block 8 in pool_launches of socket 2',
    'PoolLaunch of block 8 in pool_launches of socket 1!',
    'PoolLaunch of block 8 in pool_launches of socket 2',
  ])
})

test('leaves alone the rooms that are not named', async () => {
  const { bed, came } = await launchAll({ where: { rooms: ['trades:*', 'pool_stats:*'] } })
  expect(came.map((one) => one.length)).toEqual([4, 4])
  expect(bed.decisions()).toEqual([])
})

test('the same plan over the same events drops the same', async () => {
  const runs = []
  for (let run = 0; run < 2; run++) {
    const { bed, came } = await launchAll({
      where: { clients: { addresses: ['*'] } },
      when: { probability: 0.5 },
    })
    runs.push({ came, decisions: bed.decisions() })
  }
  expect(runs[1]).toEqual(runs[0])
  expect(runs[0]?.decisions).toHaveLength(8)
})
