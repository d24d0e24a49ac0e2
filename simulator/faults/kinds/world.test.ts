import { expect, test } from 'vitest'
import { tokenBySymbol } from '../../exchange/test-world.ts'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

const MINUTE_MS = 60_000

test('returns data from some seconds ago, only to matching clients', async () => {
  const { send, bed, world, decisions } = await createFaultyExchange([
    { fault: 'stale-read', behindMs: 2500, where: { routes: ['GET /pools/stats', 'GET /unclaimed'] } },
  ])
  const heights = async () => {
    const shown = async (path: string) => (await send(path)).json()
    const [stats, pause] = [await shown('/pools/stats?limit=1'), await shown('/compliance/pause')]
    return [stats.observed_block, pause.data.observed_block].map((height) => height - started)
  }
  const started = world.views.head().height
  // The historical blocks are a minute apart.
  expect(await heights()).toEqual([-1, 0])
  world.mine(10)
  expect(await heights()).toEqual([5, 10])
  world.clock.advance(2500)
  expect(await heights()).toEqual([10, 10])
  expect((await send('/unclaimed', bed.bearer())).statusCode).toBe(200)
  expect(decisions()).toHaveLength(4)
})

test('a newer revision is pending until the data have it', async () => {
  const { send, world } = await createFaultyExchange([{ fault: 'stale-read', behindMs: 2000 }])
  world.clock.advance(MINUTE_MS)
  const before = world.views.protocolState().revision
  world.changeConfig({ scope: 'fee_tiers', key: 'x' })
  world.mine(1)
  expect((await send('/protocol/state')).json().data.revision).toBe(before)
  const pending = await send(`/protocol/state?minimum_revision=${before + 1}`)
  expect([pending.statusCode, pending.json().code]).toEqual([503, 'protocol_revision_pending'])
  world.clock.advance(2000)
  expect((await send(`/protocol/state?minimum_revision=${before + 1}`)).json().data.revision).toBe(before + 1)
})

test('ends with its time', async () => {
  const { send, world } = await createFaultyExchange([
    { fault: 'stale-read', behindMs: 30_000, when: { afterMs: 1000, forMs: 1000 } },
  ])
  const height = async () => (await send('/compliance/pause')).json().data.observed_block
  const seen = []
  for (let step = 0; step < 3; step++) {
    seen.push(world.views.head().height - (await height()))
    world.clock.advance(1000)
  }
  expect(seen).toEqual([0, 1, 0])
})

test('quotes with the previous revision for a while after each change', async () => {
  const { send, bed, world } = await createFaultyExchange([{ fault: 'stale-route', staleMs: 5000 }])
  const [from, to] = ['USDC', 'T1'].map((symbol) => tokenBySymbol(world.views, symbol).id)
  const quoted = async (): Promise<number> => {
    const response = await send(`/route?token_in=${from}&token_out=${to}&amount_in=1000`, bed.bearer())
    return response.json().data.protocol_revision
  }
  const change = () => {
    world.changeConfig({ scope: 'fee_tiers', key: 'x' })
    world.mine(1)
    return world.views.protocolState().revision
  }
  const first = world.views.protocolState().revision
  expect(await quoted()).toBe(first)
  const second = change()
  expect([second > first, await quoted()]).toEqual([true, first])
  world.clock.advance(4999)
  expect(await quoted()).toBe(first)
  world.clock.advance(1)
  expect(await quoted()).toBe(second)
  change()
  expect(await quoted()).toBe(second)
})

test('clients read old data while it lasts', async () => {
  const { world, active } = await createFaultyExchange([
    { fault: 'slow-indexer', lag: { blocks: 3 }, when: { afterMs: 1000, forMs: 5000 } },
  ])
  const behind = () => world.state().chain.height - world.views.head().height
  world.mine(1)
  expect([world.lag(), behind()]).toEqual([{ blocks: 0 }, 0])
  world.clock.advance(1000)
  world.mine(5)
  expect(behind()).toBe(3)
  world.clock.advance(5000)
  expect([world.lag(), behind()]).toEqual([{ blocks: 0 }, 0])
  expect(active.list()).toMatchObject([{ decisions: 1, triggered: 1 }])
})

test('catches up when the plan is cleared', async () => {
  const { world, active } = await createFaultyExchange([{ fault: 'slow-indexer', lag: { ms: 60_000 } }])
  expect(world.lag()).toEqual({ ms: 60_000 })
  active.clear()
  expect(world.lag()).toEqual({ blocks: 0 })
})

test('one change per interval, up to `times`, and none after the plan is cleared', async () => {
  const { world, active } = await createFaultyExchange([
    { fault: 'revision-storm', everyMs: 1000, when: { times: 3 } },
  ])
  const before = world.chainRevision()
  const revisionsAfter = (ms: number) => {
    world.clock.advance(ms)
    world.mine(1)
    return world.chainRevision() - before
  }
  expect([revisionsAfter(0), revisionsAfter(999), revisionsAfter(10_000)]).toEqual([1, 2, 3])
  active.clear()
  expect(revisionsAfter(60_000)).toBe(3)
})

test('other blocks at the same heights, repeatedly', async () => {
  const { world, decisions } = await createFaultyExchange([
    { fault: 'reorg', depth: 2, everyMs: 10_000, when: { afterMs: 10_000 } },
  ])
  world.mine(5)
  const updates: number[] = []
  world.onBlock(({ block }) => updates.push(block.height))
  const { height } = world.views.head()
  world.clock.advance(7499)
  expect(updates).toEqual([])
  world.clock.advance(1)
  expect(updates).toEqual([height - 1, height])
  world.clock.advance(10_000)
  expect(updates).toEqual([height - 1, height, height - 1, height])
  expect(decisions()).toHaveLength(2)
})
