import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

const MINUTE_MS = 60_000

test('responds with what was indexed some seconds ago, and to nobody else', async () => {
  const { ask, bed, world, decisions } = await createFaultyExchange([
    { fault: 'stale-read', behindMs: 2500, where: { routes: ['GET /pools/stats', 'GET /unclaimed'] } },
  ])
  const heights = async () => {
    const shown = async (path: string) => (await ask(path)).json()
    const [stats, pause] = [await shown('/pools/stats?limit=1'), await shown('/compliance/pause')]
    return [stats.observed_block, pause.data.observed_block].map((height) => height - started)
  }
  const started = world.views.head().height
  // The blocks of the history are a minute apart.
  expect(await heights()).toEqual([-1, 0])
  world.mine(10)
  expect(await heights()).toEqual([5, 10])
  world.clock.advance(2500)
  expect(await heights()).toEqual([10, 10])
  expect((await ask('/unclaimed', bed.bearer())).statusCode).toBe(200)
  expect(decisions()).toHaveLength(4)
})

test('a revision that is newer is pending, and follows once the data have it', async () => {
  const { ask, world } = await createFaultyExchange([{ fault: 'stale-read', behindMs: 2000 }])
  world.clock.advance(MINUTE_MS)
  const before = world.views.protocolState().revision
  world.changeConfig({ scope: 'fee_tiers', key: 'x' })
  world.mine(1)
  expect((await ask('/protocol/state')).json().data.revision).toBe(before)
  const pending = await ask(`/protocol/state?minimum_revision=${before + 1}`)
  expect([pending.statusCode, pending.json().code]).toEqual([503, 'protocol_revision_pending'])
  world.clock.advance(2000)
  expect((await ask(`/protocol/state?minimum_revision=${before + 1}`)).json().data.revision).toBe(before + 1)
})

test('ends with its time', async () => {
  const { ask, world } = await createFaultyExchange([
    { fault: 'stale-read', behindMs: 30_000, when: { afterMs: 1000, forMs: 1000 } },
  ])
  const height = async () => (await ask('/compliance/pause')).json().data.observed_block
  const seen = []
  for (let step = 0; step < 3; step++) {
    seen.push(world.views.head().height - (await height()))
    world.clock.advance(1000)
  }
  expect(seen).toEqual([0, 1, 0])
})
