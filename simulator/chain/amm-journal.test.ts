import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AmmError } from '../amm/amm-error.ts'
import { collect } from '../amm/fees.ts'
import { increaseObservationCardinality } from '../amm/oracle.ts'
import { createPool, type Pool } from '../amm/pool.ts'
import { burn, fullRangeTicks, mint, type PositionRange, positionKey } from '../amm/position.ts'
import { applySwap, computeSwap } from '../amm/swap.ts'
import { sqrtPriceX96AtTick } from '../amm/tick-math.ts'
import { createJournal, type Journal, openBlock, undoBlock } from '../undo-log.ts'
import { rememberPosition, rememberSwap } from './amm-journal.ts'

const ranges = fc.record({
  owner: fc.constantFrom('a', 'b'),
  lower: fc.integer({ min: -4, max: 3 }),
  width: fc.integer({ min: 1, max: 4 }),
})
const actions = fc.oneof(
  fc.record({ kind: fc.constant('mint' as const), range: ranges, liquidity: fc.bigInt(1n, 10n ** 20n) }),
  fc.record({
    kind: fc.constantFrom('burn' as const, 'collect' as const),
    which: fc.nat(),
    all: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('swap' as const),
    zeroForOne: fc.boolean(),
    amountSpecified: fc.bigInt(1n, 10n ** 18n),
  }),
  fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 100 }) }),
)
type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never

test('any blocks of swaps, mints, burns and collects are undone, orders included', () => {
  const seen = { crossings: 0, ticksGone: 0, positionsGone: 0, roundTheRing: 0 }
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2, 5),
      fc.array(fc.array(actions, { minLength: 1, maxLength: 12 }), {
        minLength: 1,
        maxLength: 8,
        size: 'max',
      }),
      (cardinality, blocks) => {
        const journal = createJournal({ depthMax: blocks.length })
        const run = { pool: startPool(cardinality), timeS: 5, seen }
        const stood: unknown[] = []
        for (const block of blocks) {
          stood.push(shown(run.pool))
          openBlock(journal)
          for (const action of block) perform(run, journal, action)
        }
        if (run.pool.oracle.index === 0 && run.timeS > 5) seen.roundTheRing++
        for (const before of stood.reverse()) {
          undoBlock(journal)
          expect(shown(run.pool)).toEqual(before)
        }
      },
    ),
    { seed: 4, numRuns: 300 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
})

function startPool(cardinality: number): Pool {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: sqrtPriceX96AtTick(7), timeS: 5 })
  pool.feeProtocol0 = 4
  mint(pool, { owner: 'base', ...fullRangeTicks(60) }, 10n ** 18n)
  increaseObservationCardinality(pool, cardinality)
  return pool
}

/** Maps as lists, because toEqual ignores their order. */
function shown(pool: Pool): unknown {
  const { ticks, positions, ...rest } = pool
  return structuredClone({
    ...rest,
    byTick: [...ticks.byTick],
    ascending: ticks.ascending,
    positions: [...positions],
  })
}

type Run = { pool: Pool; timeS: number; seen: Record<'crossings' | 'ticksGone' | 'positionsGone', number> }

function perform(run: Run, journal: Journal, action: Action): void {
  const { pool, timeS, seen } = run
  if (action.kind === 'wait') run.timeS += action.seconds
  else if (action.kind === 'swap') {
    const swap = computeSwap(pool, action)
    rememberSwap(journal, pool, swap, timeS)
    applySwap(pool, swap, timeS)
    seen.crossings += swap.crossed.length
  } else if (action.kind === 'mint') {
    const tickLower = action.range.lower * 60
    const range = { owner: action.range.owner, tickLower, tickUpper: tickLower + action.range.width * 60 }
    rememberPosition(journal, pool, range)
    mint(pool, range, action.liquidity, timeS)
  } else {
    const range = pickRange(pool, action.which)
    if (!range) return
    const liquidity = pool.positions.get(positionKey(range))?.liquidity ?? 0n
    const { ascending } = pool.ticks
    const [ticks, positions] = [ascending.length, pool.positions.size]
    rememberPosition(journal, pool, range)
    if (action.kind === 'collect') collect(pool, range)
    else burnOrNot(pool, range, action.all ? liquidity : liquidity / 2n, timeS)
    if (ascending.length < ticks) seen.ticksGone++
    if (pool.positions.size < positions) seen.positionsGone++
  }
}

/** Ignores the refusal to burn from a position without liquidity, which changes nothing. */
function burnOrNot(pool: Pool, range: PositionRange, liquidity: bigint, timeS: number): void {
  try {
    burn(pool, range, liquidity, timeS)
  } catch (error) {
    expect(error).toEqual(new AmmError('NP'))
  }
}

/** Any position except the base, without which no swap is possible. */
function pickRange(pool: Pool, which: number): PositionRange | undefined {
  const keys = [...pool.positions.keys()].slice(1)
  const [owner, tickLower, tickUpper] = keys[which % keys.length]?.split('/') ?? []
  return owner === undefined
    ? undefined
    : { owner, tickLower: Number(tickLower), tickUpper: Number(tickUpper) }
}
