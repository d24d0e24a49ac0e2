/** For tests: random actions on a pool, in any order. */
import fc from 'fast-check'

export const tiers = [
  { feePips: 100, tickSpacing: 1 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
]
const mints = fc.record({
  kind: fc.constant('mint' as const),
  owner: fc.constantFrom('a', 'b'),
  lower: fc.integer({ min: -9, max: 9 }),
  width: fc.integer({ min: 1, max: 12 }),
  liquidity: fc.oneof(fc.bigInt({ min: 1n, max: 100n }), fc.bigInt({ min: 10n ** 9n, max: 10n ** 21n })),
})
const burns = fc.record({
  kind: fc.constant('burn' as const),
  which: fc.nat(),
  percent: fc.constantFrom(0n, 1n, 50n, 100n),
})
const collects = fc.record({
  kind: fc.constant('collect' as const),
  which: fc.nat(),
  percent: fc.constantFrom(30n, 100n, 900n),
})
const swaps = fc.record({
  kind: fc.constant('swap' as const),
  zeroForOne: fc.boolean(),
  amountSpecified: fc.oneof(
    fc.constantFrom(-1n, 1n),
    fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }).filter((amount) => amount !== 0n),
  ),
  /** In hundredths of a spacing, so that some end at a tick's exact price. */
  limit: fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 8, arbitrary: fc.oneof(fc.constantFrom(100, 300), fc.integer({ min: 1, max: 1200 })) },
  ),
})
const protocolFees = fc.record({
  kind: fc.constant('feeProtocol' as const),
  feeProtocol0: fc.constantFrom(0, 4, 10),
  feeProtocol1: fc.constantFrom(0, 5, 7),
})
const protocolCollects = fc.record({
  kind: fc.constant('collectProtocol' as const),
  percent: fc.constantFrom(0n, 40n, 100n),
})
const waits = fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 50_000 }) })
export const actions = fc.oneof(
  mints,
  mints,
  burns,
  collects,
  swaps,
  swaps,
  swaps,
  protocolFees,
  protocolCollects,
  waits,
)
export type Action = typeof actions extends fc.Arbitrary<infer Value> ? Value : never
