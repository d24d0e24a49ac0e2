import { deserialize, serialize } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import type { Block } from '../chain/block.ts'
import { pairKey } from '../chain/pair.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { listed } from '../test-listed.ts'
import { REORG_DEPTH_MAX } from '../undo-log.ts'
import { createWorld } from '../world/world.ts'
import { loadWorldFixture, parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { createIndexer, type Indexer, immutableRows } from './indexer.ts'

const tiny = loadWorldFixture('tiny')

const worlds = fc.record({
  seed: fc.nat(1000),
  swapsPerBlock: fc.constantFrom(1, 12),
  actionsPerBlock: fc.constantFrom(0.5, 6),
  launchEveryBlocks: fc.constantFrom(2, 9),
  governanceEveryBlocks: fc.constantFrom(2, 5),
  /** From less than a second to days: minutes and days end within the undone blocks. */
  blockIntervalMs: fc.constantFrom(700, 20_000, 3_600_000, 50_000_000),
  undone: fc.integer({ min: 1, max: 12 }),
})
type WorldDraft = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never

test('undoing blocks of any world restores the state before each, and folding them again gives the same', () => {
  const kinds = new Set<string>()
  fc.assert(
    fc.property(worlds, (draft) => {
      const { blocks, stableTokenId } = mineWorld(draft)
      const indexer = createIndexer({ stableTokenId })
      const split = blocks.length - draft.undone
      for (const block of blocks.slice(0, split)) indexer.index(block)
      const folded = blocks.slice(split)
      const before = folded.map((block) => {
        const state = saved(indexer)
        indexer.index(block)
        freezeRows(indexer)
        for (const { events } of block.receipts) for (const { kind } of events) kinds.add(kind)
        return state
      })
      const after = saved(indexer)
      for (const state of before.toReversed()) {
        indexer.undo()
        expectSame(saved(indexer), state)
      }
      for (const block of folded) indexer.index(block)
      expectSame(saved(indexer), after)
    }),
    { seed: 5, numRuns: IN_FULL ? 12 : 5 },
  )
  expect([...kinds].sort()).toEqual([
    'balanceChanged',
    'configChanged',
    'faucetClaimed',
    'liquidityChanged',
    'outputClaimed',
    'pairListed',
    'pairPaused',
    'poolCreated',
    'poolEnabled',
    'positionCollected',
    'positionFrozen',
    'positionOpened',
    'protocolCollected',
    'protocolFeeSet',
    'swapExecuted',
    'tokenListed',
    'tokenMinted',
    'tokenRegistered',
  ])
})

test('undoes as many blocks as the journal keeps, and throws beyond that', () => {
  const { blocks, stableTokenId } = mineWorld({
    seed: 7,
    swapsPerBlock: 1,
    actionsPerBlock: 0.5,
    launchEveryBlocks: 9,
    governanceEveryBlocks: 5,
    blockIntervalMs: 700,
    undone: 40,
  })
  const indexer = createIndexer({ stableTokenId })
  for (const block of blocks) indexer.index(block)
  for (let depth = 1; depth <= REORG_DEPTH_MAX; depth++) {
    indexer.undo()
    const { height, hash } = blocks[blocks.length - 1 - depth] as Block // as: more blocks were mined than kept
    expect(indexer.views.head()).toMatchObject({ height, hash })
  }
  expect(() => indexer.undo()).toThrow('the journal has no block to undo')
})

function mineWorld(draft: WorldDraft): { blocks: readonly Block[]; stableTokenId: string } {
  const { swapsPerBlock, actionsPerBlock, launchEveryBlocks, governanceEveryBlocks, blockIntervalMs } = draft
  const fixture: WorldFixture = {
    ...tiny,
    swapsPerBlock,
    blockIntervalMs,
    history: { blocks: 30, blockIntervalMs },
    liquidity: { ...tiny.liquidity, actionsPerBlock },
    launches: { ...tiny.launches, fromBlock: 2, everyBlocks: launchEveryBlocks, poolsMax: 100 },
    governance: {
      ...tiny.governance,
      everyBlocks: governanceEveryBlocks,
      weights: { ...tiny.governance.weights, setProtocolFee: 10 },
    },
  }
  const blocks: Block[] = []
  const world = createWorld({
    fixture,
    seed: draft.seed,
    random: createRandom(draft.seed),
    clock: createClock({ startMs: parseStartMs(fixture) }),
    accounts: [],
    onMined: (block) => blocks.push(block),
  })
  const [first, second] = [...world.state().chain.pools.values()]
  if (!first || !second) throw new Error('the world starts with pools')
  const keys = [first.key, pairKey(second.token0, second.token1)]
  for (let block = 0; block < draft.undone + 4; block++) {
    for (const key of keys) world.changeConfig({ scope: 'pause', key })
    world.changeConfig({ scope: 'allowlist', key: pairKey(second.token0, second.token1) })
    world.mine()
  }
  return { blocks, stableTokenId: world.state().index.stableTokenId }
}

/** A later change of a row that replicas share then throws. */
function freezeRows({ state }: Indexer): void {
  for (const row of immutableRows(state)) {
    for (const held of Object.values(row)) Object.freeze(held)
    Object.freeze(row)
  }
}

/** Everything except the journal. */
function saved({ state }: Indexer): Buffer {
  const { journal: _, ...rest } = state
  return serialize(rest)
}

/** The order of entries counts. Comparing bytes is faster, but numbers may be serialized in more than one way. */
function expectSame(found: Buffer, expected: Buffer): void {
  if (!found.equals(expected)) expect(listed(deserialize(found))).toEqual(listed(deserialize(expected)))
}
