import { expect, test } from 'vitest'
import { createTestBed } from '../../gateway/test-bed.ts'
import { faultPlanSchema } from '../fault-plan.ts'

const fault = 'feed-close'

type Bed = Awaited<ReturnType<typeof createTestBed>>

const openIds = ({ gateway }: Bed) => gateway.sockets().map(({ id }) => id)

async function bedWith(count: number) {
  const bed = await createTestBed()
  const clients = []
  while (clients.length < count) clients.push(await bed.signIn())
  return { bed, clients }
}

test('closes every open socket with 1012, as a deployment does, and none that opens after that', async () => {
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

test('closes at its time, and again every so long until its time ends', async () => {
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

test('closes those that fit: by wallet, by program, by room', async () => {
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

test('closes as many as it is told, drawn by the seed of the plan', async () => {
  const left = []
  for (const seed of [1, 1, 2]) {
    const { bed } = await bedWith(6)
    const plan = { description: 'of a test', seed, faults: [{ fault, count: 3 }] }
    bed.faults.apply(faultPlanSchema.parse(plan))
    expect(bed.decisions()).toHaveLength(3)
    left.push(openIds(bed))
  }
  expect(left).toEqual([
    [3, 4, 6],
    [3, 4, 6],
    [2, 3, 5],
  ])
})

test('closes a share of them, as chance has it', async () => {
  const { bed } = await bedWith(6)
  bed.inject({ fault, when: { probability: 0.5 } })
  const closed = bed.decisions().flatMap((decision, place) => (decision.endsWith('!') ? [place + 1] : []))
  expect(bed.decisions()).toHaveLength(6)
  expect(openIds(bed)).toEqual([1, 2, 3, 4, 5, 6].filter((id) => !closed.includes(id)))
  expect(closed).toEqual([2, 3, 5, 6])
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

test('closes nobody any more once the plan is cleared', async () => {
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
])('refuses %j, which no close frame can carry', (options) => {
  const plan = { description: 'of a test', faults: [{ fault, ...options }] }
  expect(faultPlanSchema.safeParse(plan).error?.issues.map(({ path }) => path.join('.'))).toEqual([
    `faults.0.${Object.keys(options)[0]}`,
  ])
})

test('one gateway node alone', async () => {
  const bed = await createTestBed({ nodes: 2 })
  const clients = [await bed.signIn(), await bed.signIn(), await bed.signIn()]
  bed.inject({ fault, where: { nodes: [1] } })
  for (const client of [clients[0], clients[2]])
    expect(await client?.closed).toEqual({ code: 1012, reason: 'service restart' })
  expect(openIds(bed)).toEqual([2])
})
