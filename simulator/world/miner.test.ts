import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createIndexer } from '../indexer/indexer.ts'
import type { BlockUpdate } from '../indexer/views/views.ts'
import { emptyBook, enterBlock } from '../invariants/book.ts'
import { checkInvariants } from '../invariants/invariants.ts'
import { createSmallWorld, mintTo, queryEverything, type SmallWorld } from './test-small-world.ts'
import { loadWorld, type World } from './world.ts'

test('paused, no block comes by itself, and submitted transactions wait', () => {
  const { world, canonical } = createSmallWorld(1)
  world.start()
  world.setMining({ mode: 'paused' })
  const id = world.submit(mintTo(world, 5n))
  world.advance(60_000)
  expect(canonical).toHaveLength(31)
  world.mine()
  expect(canonical[31]?.receipts[0]?.id).toBe(id)
})

test('on demand, each transaction immediately has a block, at the clock’s time, without the agents', () => {
  const { world, random, canonical } = createSmallWorld(1)
  world.start()
  world.setMining({ mode: 'paused' })
  const waiting = [world.submit(mintTo(world, 5n)), world.submit(mintTo(world, 6n))]
  const drawn = random.save()
  world.setMining({ mode: 'on-demand' })
  world.advance(1234)
  const last = world.submit(mintTo(world, 5n))
  const blocks = canonical.slice(31)
  expect(blocks.map(({ receipts }) => receipts.map(({ id }) => id))).toEqual(
    [...waiting, last].map((id) => [id]),
  )
  const { timeMs } = canonical[30] ?? expect.fail()
  expect(blocks.map((block) => block.timeMs)).toEqual([timeMs, timeMs, timeMs + 1234])
  expect(blocks.flatMap(({ receipts }) => receipts.map(({ refused }) => refused))).toEqual([null, null, null])
  expect(random.save()).toEqual(drawn)
  expect(world.views.head().height).toBe(33)
})

test('another interval starts when it is set', () => {
  const { world, canonical } = createSmallWorld(1)
  const startMs = world.clock.nowMs()
  world.start()
  world.advance(400)
  world.setMining({ mode: 'interval', intervalMs: 300 })
  world.advance(900)
  expect(canonical.slice(31).map(({ timeMs }) => timeMs - startMs)).toEqual([700, 1000, 1300])
})

/** Listeners submit when notified of a block, `count` times in total; returns the notifications to them and later ones. */
function submittingListener({ world }: SmallWorld, count: number) {
  const promised: string[] = []
  const heard: number[] = []
  world.onBlock(() => {
    if (promised.length < count) promised.push(world.submit(mintTo(world, BigInt(promised.length + 100))))
  })
  world.onBlock(({ block }) => heard.push(block.height))
  return { promised, heard }
}

const listIds = (blocks: SmallWorld['canonical']) =>
  blocks.map(({ receipts }) => receipts.map(({ id }) => id))

test('on demand, a listener’s transactions are mined after waiting ones, under the announced id', () => {
  const run = createSmallWorld(1)
  const { world, canonical } = run
  world.setMining({ mode: 'paused' })
  const waiting = [5n, 6n, 7n].map((amount) => world.submit(mintTo(world, amount)))
  const { promised, heard } = submittingListener(run, 5)
  world.setMining({ mode: 'on-demand' })
  expect(listIds(canonical.slice(31))).toEqual([...waiting, ...promised].map((id) => [id]))
  expect(heard).toEqual([31, 32, 33, 34, 35, 36, 37, 38])
  expect(world.views.head().height).toBe(38)
})

test.each<[string, (world: World) => void]>([
  ['that were held', (world) => world.releaseIndexer()],
  [
    'of a lag',
    (world) => {
      world.setLag({ blocks: 2 })
      world.releaseIndexer()
      world.setLag({ blocks: 0 })
    },
  ],
])('on demand, submitting listeners are notified of blocks %s in order', (_, index) => {
  const run = createSmallWorld(1)
  const { world, canonical } = run
  world.setMining({ mode: 'on-demand' })
  world.holdIndexer()
  for (const amount of [5n, 6n, 7n]) world.submit(mintTo(world, amount))
  const { promised, heard } = submittingListener(run, 4)
  index(world)
  expect(listIds(canonical.slice(34))).toEqual(promised.map((id) => [id]))
  expect(heard).toEqual([31, 32, 33, 34, 35, 36, 37])
})

test.each(['on-demand', 'paused'] as const)(
  'in a reorg, %s, a listener’s transactions have the announced id',
  (mode) => {
    const run = createSmallWorld(2)
    const { world, canonical } = run
    world.setMining({ mode: 'paused' })
    const patient = (amount: bigint): Transaction => ({ ...mintTo(world, amount), sender: 'bw1patient' })
    for (let block = 0; block < 8; block++) {
      for (const amount of [1n, 2n]) world.submit(patient(amount))
      world.mine()
    }
    const promised: string[] = []
    world.onBlock(() => {
      if (promised.length < 5) promised.push(world.submit(patient(BigInt(promised.length))))
    })
    world.setMining({ mode })
    world.reorg(8)
    world.mine()
    expect(new Set(promised).size).toBe(5)
    expect(listIds(canonical).flat()).toEqual(expect.arrayContaining(promised))
  },
)

/** Restored, while stopped, to 300 ms before the next block. */
const PUT_BACK: [string, (run: SmallWorld) => World][] = [
  [
    'reverted',
    ({ world }) => {
      const id = world.snapshot()
      world.stop()
      world.mine(3)
      world.revert(id)
      return world
    },
  ],
  ['loaded', ({ world }) => loadWorld({ dump: world.dump() }).world],
]

test.each(PUT_BACK)('a stopped world that was %s resumes when started', (_, putBack) => {
  const run = createSmallWorld(1)
  run.world.start()
  run.world.advance(700)
  const world = putBack(run)
  const blocksAtMs = blockTimes(world)
  world.start()
  world.advance(1000)
  expect(blocksAtMs()).toEqual([300, 800])
})

test.each(PUT_BACK)(
  'a stopped world that was %s waits a full interval when started, if time passed since',
  (_, putBack) => {
    const run = createSmallWorld(1)
    run.world.start()
    run.world.advance(700)
    const world = putBack(run)
    const blocksAtMs = blockTimes(world)
    for (const ms of [300, 60_000]) world.advance(ms)
    world.start()
    world.advance(1000)
    expect(blocksAtMs()).toEqual([60_800, 61_300])
  },
)

function blockTimes(world: World): () => number[] {
  const startMs = world.clock.nowMs()
  const times: number[] = []
  world.onBlock(({ block }) => times.push(block.timeMs - startMs))
  return () => times
}

test('after a reorg chain and indexer are as if the branch never existed, and no submitted transaction is lost', () => {
  const seen = { differing: 0, undone: 0 }
  const lags = fc.constantFrom({ blocks: 0 }, { blocks: 3 }, { ms: 800 })
  const rounds = fc.array(
    fc.record({ blocks: fc.integer({ min: 1, max: 9 }), depth: fc.nat(9), lag: lags }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  fc.assert(
    fc.property(fc.nat(100), rounds, (seed, steps) => {
      const run = createSmallWorld(seed)
      const { world, canonical } = run
      const updates: BlockUpdate[] = []
      world.onBlock((update) => updates.push(update))
      const submitted: bigint[] = []
      for (const { blocks, depth, lag } of steps) {
        world.setLag(lag)
        submitted.push(BigInt(submitted.length + 1))
        world.submit(mintTo(world, BigInt(submitted.length), 'bw1patient'))
        world.mine(blocks)
        const [branch, head] = [canonical.slice(-depth), world.views.head()]
        const from = updates.length
        if (depth === 0) continue
        world.reorg(depth)
        const replaced = canonical.slice(-depth)
        expect(replaced.map(({ height, timeMs }) => [height, timeMs])).toEqual(
          branch.map(({ height, timeMs }) => [height, timeMs]),
        )
        if (replaced.some(({ hash }, place) => hash !== branch[place]?.hash)) seen.differing++
        const forkHeight = (branch[0]?.height ?? 0) - 1
        const undone = Math.max(0, head.height - forkHeight)
        if (undone > 0 && updates.length > from) {
          expect(updates[from]).toMatchObject({ reorged: undone, block: { height: forkHeight + 1 } })
          seen.undone++
        }
        compareWithFresh(run)
      }
      world.setLag({ blocks: 0 })
      world.mine(1)
      expect(updates.slice(-1)[0]?.block.height).toBe(world.state().chain.height)
      compareWithFresh(run)
      const minted = canonical.flatMap(({ receipts }) =>
        receipts.flatMap(({ events }) =>
          events.flatMap((event) =>
            event.kind === 'balanceChanged' && event.address === 'bw1patient' ? [event.delta] : [],
          ),
        ),
      )
      expect(minted.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(submitted)
    }),
    { seed: 9, numRuns: IN_FULL ? 12 : 4 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5)
})

/** Compares with a fresh indexer and a fresh ledger of invariants that received only the canonical blocks. */
function compareWithFresh({ world, canonical }: SmallWorld): void {
  const { chain, index, waiting } = world.state()
  const fresh = createIndexer({ stableTokenId: index.stableTokenId })
  const indexed = canonical.slice(0, canonical.length - waiting.length)
  for (const block of indexed) fresh.index(block)
  const addresses = [...chain.balances.keys()]
  expect(queryEverything(world.views, addresses)).toEqual(queryEverything(fresh.views, addresses))
  for (const [height, block] of canonical.entries()) {
    if (height > 0) expect(block.parentHash).toBe(canonical[height - 1]?.hash)
  }
  expect(canonical.at(-1)?.hash).toBe(chain.hash)
  if (waiting.length > 0) return
  const book = emptyBook()
  for (const block of canonical) enterBlock(book, block)
  expect(checkInvariants({ chain, index, book })).toEqual([])
}

test('a reorg draws nothing from the agents’ streams, and on demand immediately mines late transactions', () => {
  const { world, random, canonical } = createSmallWorld(2)
  world.setMining({ mode: 'on-demand' })
  const transactions: Transaction[] = [1n, 2n, 3n].map((amount) => mintTo(world, amount))
  for (const transaction of transactions) world.submit(transaction)
  const { 'chain/reorg': _, ...drawn } = random.save()
  world.reorg(3)
  const { 'chain/reorg': __, ...drawnSince } = random.save()
  expect(drawnSince).toEqual(drawn)
  const receipts = canonical.slice(31).flatMap((block) => block.receipts)
  expect(receipts).toHaveLength(3)
  expect(world.state().mempool).toEqual([])
})

test('a reorg deeper than the kept blocks is rejected, and nothing changes', () => {
  const { world } = createSmallWorld(1)
  const hash = world.eventLogHash()
  // 31 blocks, of which seven founded the world.
  expect(() => world.reorg(25)).toThrow(
    expect.objectContaining({
      code: 'reorg_too_deep',
      message: 'cannot reorganize 25 blocks: the maximum is 24',
    }),
  )
  expect(world.eventLogHash()).toBe(hash)
  world.reorg(24)
  world.mine(80)
  expect(() => world.reorg(65)).toThrow('cannot reorganize 65 blocks: the maximum is 64')
  world.reorg(64)
})
