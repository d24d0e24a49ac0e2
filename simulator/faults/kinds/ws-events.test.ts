import { describe, expect, test } from 'vitest'
import { createTestBed, statsRoom, summarize } from '../../gateway/test-bed.ts'

const fault = 'ws-drop'
const launch = (place: number) => `PoolLaunch ${place}`

async function launchAll(options: object) {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  const clients = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, ...options })
  const ids = bed.pools.slice(0, 4).map(({ id }) => id)
  for (const pool of bed.pools.slice(0, 4)) bed.emit({ launches: [pool] })
  const came = []
  for (const client of clients) {
    came.push(summarize(await client.synchronize()).map((text) => text.replace(/\S+$/, place(ids))))
  }
  return { bed, came }
}

/** Replaces an id with its number, from 1. */
const place = (ids: readonly string[]) => (id: string) => {
  const found = ids.indexOf(id)
  return found === -1 ? id : String(found + 1)
}

test('drops events for everyone in the room, silently', async () => {
  const { bed, came } = await launchAll({ when: { every: 2 } })
  expect(came).toEqual([
    [launch(1), launch(3)],
    [launch(1), launch(3)],
  ])
  const decision = 'PoolLaunch of block 8 in pool_launches'
  expect(bed.decisions()).toEqual([decision, `${decision}!`, decision, `${decision}!`])
  expect(bed.gateway.events()).toEqual({ sent: 4, dropped: 0 })
})

test('sends resync_required instead, if configured', async () => {
  const { came } = await launchAll({ resync: true, when: { times: 1 } })
  expect(came[0]).toEqual(['resync_required', launch(2), launch(3), launch(4)])
  expect(came[1]).toEqual(came[0])
})

test('decides per socket if clients are given: one misses what another gets', async () => {
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

test('leaves other rooms alone', async () => {
  const { bed, came } = await launchAll({ where: { rooms: ['trades:*', 'pool_stats:*'] } })
  expect(came.map((one) => one.length)).toEqual([4, 4])
  expect(bed.decisions()).toEqual([])
})

test('the same plan drops the same of the same events', async () => {
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

describe('ws-duplicate', () => {
  const fault = 'ws-duplicate'

  async function duplicateBed(options: object) {
    const bed = await createTestBed()
    const client = await bed.join('pool_launches')
    bed.inject({ fault, ...options })
    const launch = (place: number) => `PoolLaunch ${bed.pools[place]?.id}`
    return { bed, client, launch }
  }

  test('an event comes twice, identically', async () => {
    const { bed, client, launch } = await duplicateBed({ when: { every: 2 } })
    bed.emit({ launches: bed.pools.slice(0, 2) })
    const messages = await client.synchronize()
    expect(summarize(messages)).toEqual([launch(0), launch(1), launch(1)])
    expect(messages[2]).toEqual(messages[1])
    expect(bed.gateway.events()).toEqual({ sent: 3, dropped: 0 })
  })

  test('the copy comes after a delay, followed by resync_required if configured', async () => {
    const { bed, client, launch } = await duplicateBed({ againAfterMs: 500, resync: true })
    bed.emit({ launches: bed.pools.slice(0, 1) })
    expect(summarize(await client.synchronize())).toEqual([launch(0)])
    bed.clock.advance(500)
    expect(summarize(await client.synchronize())).toEqual([launch(0), 'resync_required'])
  })
})

describe('ws-delay', () => {
  const fault = 'ws-delay'
  const ROOM = 'pool_launches'

  async function lateBed(options: object) {
    const bed = await createTestBed()
    const client = await bed.join(ROOM)
    bed.inject({ fault, delayMs: 1000, ...options })
    const emit = (place: number) => bed.emit({ launches: bed.pools.slice(place, place + 1) })
    const launch = (place: number) => `PoolLaunch ${bed.pools[place]?.id}`
    return { bed, client, emit, launch }
  }

  test('an event comes late, and later events overtake it', async () => {
    const { bed, client, emit, launch } = await lateBed({ when: { times: 1 } })
    emit(0)
    emit(1)
    bed.clock.advance(999)
    expect(summarize(await client.synchronize())).toEqual([launch(1)])
    bed.clock.advance(1)
    expect(summarize(await client.synchronize())).toEqual([launch(0)])
  })

  test('resync_required follows it, if configured', async () => {
    const { bed, client, emit, launch } = await lateBed({ resync: true })
    emit(0)
    expect(await client.synchronize()).toEqual([])
    bed.clock.advance(1000)
    expect(summarize(await client.synchronize())).toEqual([launch(0), 'resync_required'])
  })

  test('is sent to the sockets that are in the room at that time', async () => {
    const { bed, client, emit, launch } = await lateBed({})
    emit(0)
    const joiner = await bed.join(ROOM)
    client.send({ action: 'unsubscribe', room: ROOM })
    await client.synchronize()
    bed.clock.advance(1000)
    expect(summarize(await joiner.synchronize())).toEqual([launch(0)])
    expect(await client.synchronize()).toEqual([])
  })

  test('if clients are given, is sent to the original socket if it is still in the room', async () => {
    const { bed, client, emit, launch } = await lateBed({ where: { clients: { addresses: ['*'] } } })
    const leaver = await bed.join(ROOM)
    emit(0)
    const joiner = await bed.join(ROOM)
    leaver.send({ action: 'unsubscribe', room: ROOM })
    expect(await leaver.synchronize()).toEqual([])
    bed.clock.advance(1000)
    expect(summarize(await client.synchronize())).toEqual([launch(0)])
    for (const other of [leaver, joiner]) expect(await other.synchronize()).toEqual([])
  })

  test('delayed events still come after the plan is cleared, but not after the world has moved back', async () => {
    const { bed, client, emit, launch } = await lateBed({})
    emit(0)
    bed.faults.clear()
    bed.clock.advance(1000)
    expect(summarize(await client.synchronize())).toEqual([launch(0)])
    bed.inject({ fault, delayMs: 1000 })
    emit(1)
    bed.gateway.requireResync()
    bed.clock.advance(1000)
    expect(summarize(await client.synchronize())).toEqual(['resync_required'])
  })
})

describe('ws-room-blackhole', () => {
  const fault = 'ws-room-blackhole'

  test('no event of the room comes for a while; the socket responds, and other rooms deliver', async () => {
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
    expect(summarize(await client.synchronize())).toEqual([
      `PoolStats 8-${pool.id}`,
      `PoolStats 8-${pool.id}`,
    ])
    bed.clock.advance(1)
    bed.faults.clear()
    bed.emit({ launches: [pool] })
    expect(summarize(await client.synchronize())).toEqual([`PoolLaunch ${pool.id}`])
  })

  test('decides once per silent period, on the first lost event', async () => {
    const bed = await createTestBed()
    const client = await bed.join('pool_launches')
    bed.inject({ fault, muteMs: 1000, when: { every: 2 } })
    const ids = bed.pools.slice(0, 5).map(({ id }) => id)
    for (const pool of bed.pools.slice(0, 5)) {
      bed.emit({ launches: [pool] })
      bed.clock.advance(400)
    }
    expect(summarize(await client.synchronize())).toEqual([`PoolLaunch ${ids[0]}`, `PoolLaunch ${ids[4]}`])
    expect(bed.decisions()).toEqual([
      'PoolLaunch of block 8 in pool_launches',
      'PoolLaunch of block 8 in pool_launches!',
      'PoolLaunch of block 8 in pool_launches',
    ])
  })

  test('mutes only the rooms of the given clients', async () => {
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
    expect(summarize(await client.synchronize())).toEqual([`PoolLaunch ${bed.pools[1]?.id}`])
  })
})
