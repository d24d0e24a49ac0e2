import { describe, expect, test } from 'vitest'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createTestBed, summarize } from '../../gateway/test-bed.ts'
import type { FeedClient } from '../../gateway/test-client.ts'
import { faultPlanSchema } from '../fault-plan.ts'

const fault = 'ws-close'

type Bed = Awaited<ReturnType<typeof createTestBed>>

const openIds = ({ gateway }: Bed) => gateway.sockets().map(({ id }) => id)

async function bedWith(count: number) {
  const bed = await createTestBed()
  const clients = []
  while (clients.length < count) clients.push(await bed.signIn())
  return { bed, clients }
}

test('closes every open socket with 1012, as a deployment does, and none opened later', async () => {
  const { bed, clients } = await bedWith(2)
  bed.inject({ fault })
  for (const { closed } of clients) expect(await closed).toEqual({ code: 1012, reason: 'service restart' })
  expect(bed.decisions()).toEqual(['socket 1!', 'socket 2!'])
  await bed.signIn()
  bed.clock.advance(10_000)
  expect(openIds(bed)).toEqual([3])
})

test.each([
  [{ code: 1006 }, { code: 1006, reason: '' }],
  [
    { code: 4001, reason: 'over' },
    { code: 4001, reason: 'over' },
  ],
])('closes with %j, and the peer sees %j', async (options, seen) => {
  const { bed, clients } = await bedWith(1)
  bed.inject({ fault, ...options })
  expect(await clients[0]?.closed).toEqual(seen)
})

test('closes at its time, and again at each interval until its time ends', async () => {
  const { bed } = await bedWith(1)
  bed.inject({ fault, everyMs: 1000, when: { afterMs: 500, forMs: 2000 } })
  bed.clock.advance(499)
  expect(openIds(bed)).toEqual([1])
  bed.clock.advance(1)
  expect(openIds(bed)).toEqual([])
  await bed.signIn()
  bed.clock.advance(999)
  expect(openIds(bed)).toEqual([2])
  bed.clock.advance(1)
  expect(openIds(bed)).toEqual([])
  await bed.signIn()
  bed.clock.advance(5000)
  expect(openIds(bed)).toEqual([3])
})

test('closes matching sockets: by wallet, by program, by room', async () => {
  const bed = await createTestBed()
  const { alice, bob } = bed.wallets
  await bed.signIn(alice)
  await bed.signIn(bob)
  await bed.join('pool_launches')
  await bed.connect({ userAgent: 'bot/2' })
  bed.inject({ fault, where: { clients: { addresses: [bob.address] } } })
  expect(openIds(bed)).toEqual([1, 3, 4])
  bed.inject({ fault, where: { clients: { userAgents: ['bot/*'] } } })
  expect(openIds(bed)).toEqual([1, 3])
  bed.inject({ fault, where: { rooms: ['pool_*'] } })
  expect(openIds(bed)).toEqual([1])
  expect(bed.decisions()).toEqual(['socket 2!', 'socket 4!', 'socket 3!'])
})

test('closes up to `count` sockets, drawn with the seed of the plan', async () => {
  const left = []
  for (const seed of [1, 1, 3]) {
    const { bed } = await bedWith(6)
    const plan = { description: 'of a test', seed, faults: [{ fault, count: 3 }] }
    bed.faults.apply(faultPlanSchema.parse(plan))
    expect(bed.decisions()).toHaveLength(6)
    left.push(openIds(bed))
  }
  expect(left).toEqual([
    [1, 5, 6],
    [1, 5, 6],
    [1, 4, 5],
  ])
})

test('closes a random share of the sockets', async () => {
  const { bed } = await bedWith(6)
  bed.inject({ fault, when: { probability: 0.5 } })
  const closed = bed.decisions().flatMap((decision, place) => (decision.endsWith('!') ? [place + 1] : []))
  expect(bed.decisions()).toHaveLength(6)
  expect(openIds(bed)).toEqual([1, 2, 3, 4, 5, 6].filter((id) => !closed.includes(id)))
  expect(closed).toEqual([3, 4, 6])
})

test('spreads the closes evenly', async () => {
  const { bed } = await bedWith(3)
  bed.inject({ fault, staggerMs: 1000 })
  expect(openIds(bed)).toEqual([2, 3])
  bed.clock.advance(499)
  expect(openIds(bed)).toEqual([2, 3])
  bed.clock.advance(1)
  expect(openIds(bed)).toEqual([3])
  bed.clock.advance(500)
  expect(openIds(bed)).toEqual([])
})

test('stops closing sockets when the plan is cleared', async () => {
  const { bed } = await bedWith(3)
  bed.inject({ fault, staggerMs: 1000, everyMs: 5000 })
  bed.faults.clear()
  bed.clock.advance(20_000)
  expect(openIds(bed)).toEqual([2, 3])
})

test.each([
  { code: 1005 },
  { code: 1004 },
  { code: 2000 },
  { code: 999 },
  { code: 5000 },
  { reason: 'é'.repeat(62) },
])('rejects %j, which no close frame can carry', (options) => {
  const plan = { description: 'of a test', faults: [{ fault, ...options }] }
  expect(faultPlanSchema.safeParse(plan).error?.issues.map(({ path }) => path.join('.'))).toEqual([
    `faults.0.${Object.keys(options)[0]}`,
  ])
})

test('affects one gateway node only', async () => {
  const bed = await createTestBed({ nodes: 2 })
  const clients = [await bed.signIn(), await bed.signIn(), await bed.signIn()]
  bed.inject({ fault, where: { nodes: [1] } })
  for (const client of [clients[0], clients[2]])
    expect(await client?.closed).toEqual({ code: 1012, reason: 'service restart' })
  expect(openIds(bed)).toEqual([2])
})

describe('ws-blackhole', () => {
  const fault = 'ws-blackhole'

  /** The gateway also cuts a peer that ignores a close frame in real time; disable that for the test. */
  const PATIENT = { ...defaultChoices, feed: { ...defaultChoices.feed, closeTimeoutMs: 600_000 } }

  /** Alice’s socket is mute for `muteMs`; Bob’s is not. Both are in the launches room. */
  async function mutedBed({ muteMs = 1000 } = {}) {
    const bed = await createTestBed({ choices: PATIENT })
    const { alice, bob } = bed.wallets
    const [mute, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
    bed.inject({ fault, muteMs, where: { clients: { addresses: [alice.address] } } })
    const openIds = () => bed.gateway.sockets().map(({ id }) => id)
    /** Its frames have been handled when it has left its room; returns the messages of the other socket until then. */
    const readOther = async () => {
      mute.send({ action: 'unsubscribe', room: 'pool_launches' })
      const came = []
      while (bed.gateway.sockets()[0]?.rooms !== 0) came.push(...(await other.settle()))
      return came
    }
    return { bed, mute, other, openIds, readOther }
  }

  async function readAll({ socket, closed }: FeedClient, from: () => Promise<void>): Promise<string[]> {
    const came: string[] = []
    socket.on('message', (data) => came.push(String(data)))
    socket.on('pong', () => came.push('pong'))
    socket.on('ping', () => came.push('ping'))
    await from()
    await closed
    return came
  }

  test('the socket gets no event, reply or pong; its frames are handled; then it is cut', async () => {
    const { bed, mute, readOther, openIds } = await mutedBed()
    const came = await readAll(mute, async () => {
      bed.emit({ launches: bed.pools.slice(0, 1) })
      mute.send({ action: 'synchronize' })
      mute.send('nonsense')
      mute.socket.ping()
      expect(summarize(await readOther())).toEqual([`PoolLaunch ${bed.pools[0]?.id}`])
      bed.clock.advance(999)
      expect(openIds()).toEqual([1, 2])
      bed.clock.advance(1)
    })
    expect(came).toEqual([])
    expect(await mute.closed).toEqual({ code: 1006, reason: '' })
    expect(openIds()).toEqual([2])
  })

  test('stays open for its peer through ticket expiry, heartbeats and a feed restart', async () => {
    const { bed, mute, other, openIds } = await mutedBed({ muteMs: 3_600_000 })
    const came = await readAll(mute, async () => {
      for (let beat = 0; beat < 4; beat++) {
        await other.settle()
        bed.beat()
      }
      bed.clock.advance(60_000)
      expect(openIds()).toEqual([])
      await other.closed
      bed.gateway.restart()
      bed.clock.advance(3_539_999)
      await (await bed.connect()).settle()
      expect(mute.socket.readyState).toBe(mute.socket.OPEN)
      bed.clock.advance(1)
    })
    expect(came).toEqual([])
    expect((await mute.closed).code).toBe(1006)
  })

  test.each<[string, (bed: Awaited<ReturnType<typeof createTestBed>>) => unknown]>([
    ['the plan is cleared', ({ faults }) => faults.clear()],
    ['the feed shuts down', ({ gateway }) => gateway.close()],
  ])('is cut when %s', async (_what, end) => {
    const { bed, mute } = await mutedBed({ muteMs: 3_600_000 })
    await end(bed)
    expect((await mute.closed).code).toBe(1006)
  })

  test('ignores a close frame: the socket counts as closing, and another one can be opened', async () => {
    const { bed, mute } = await mutedBed({ muteMs: 1000 })
    mute.socket.close()
    const again = await bed.join('pool_launches')
    expect(mute.socket.readyState).toBe(mute.socket.CLOSING)
    bed.emit({ launches: bed.pools.slice(0, 1) })
    expect(await again.synchronize()).toHaveLength(1)
    bed.clock.advance(1000)
    expect((await mute.closed).code).toBe(1006)
  })
})

describe('ws-slow-consumer', () => {
  const fault = 'ws-slow-consumer'

  async function slowBed() {
    const bed = await createTestBed()
    const { alice, bob } = bed.wallets
    const [slow, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
    bed.inject({ fault, stallMs: 1000, where: { clients: { addresses: [alice.address] } } })
    const dropped = () => bed.gateway.sockets().map(({ droppedEvents }) => droppedEvents)
    return { bed, slow, other, dropped }
  }

  test('outgoing frames wait, and come in order', async () => {
    const { bed, slow, other } = await slowBed()
    bed.emit({ launches: bed.pools.slice(0, 2) })
    slow.socket.ping()
    expect(await other.synchronize()).toHaveLength(2)
    bed.clock.advance(999)
    await other.settle()
    const came = slow.synchronize()
    bed.clock.advance(1)
    expect(summarize(await came)).toEqual([0, 1].map((place) => `PoolLaunch ${bed.pools[place]?.id}`))
  })

  test('events above the buffer limit are dropped, and resync_required follows', async () => {
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

  test('waiting frames are sent when the plan is cleared', async () => {
    const { bed, slow } = await slowBed()
    bed.emit({ launches: bed.pools.slice(0, 1) })
    bed.faults.clear()
    expect(await slow.synchronize()).toHaveLength(1)
  })
})
