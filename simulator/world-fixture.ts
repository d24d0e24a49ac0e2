import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, fileFailure } from '../contract/breakwater-error.ts'
import { namesAFile, parseJsonFile, readRegularFile } from '../contract/json-file.ts'
import { unknownName } from '../contract/unknown-name.ts'

const DAY_MS = 86_400_000
const count = z.int().min(0).max(1_000_000)
const amountUsd = z.number().positive().max(1e12)
const everyBlocks = z.int().positive()

/** Log-normal: half of all values are below the median; `spread` is the standard deviation of the logarithm. */
const sizeUsd = z.strictObject({ median: amountUsd, spread: z.number().min(0).max(4) })

const share = z.number().min(0).max(1)
const weight = z.number().min(0)
const perBlock = z.number().min(0)

const feeTier = z.strictObject({
  feePips: z.int().positive().max(999_999),
  tickSpacing: z.int().positive().max(16_383),
  /** Relative frequency among the pools. */
  weight: z.number().positive(),
})

/**
 * Wrapped NEAR has 24, the most of any token in wide use. Registries of real chains accept up to 255, but amounts have 128 bits
 * there as here: with 36 decimals, 340 whole tokens would fill them.
 */
const DECIMALS_MAX = 24
const decimals = z.int().min(0).max(DECIMALS_MAX)

const token = z.strictObject({ symbol: z.string().min(1), name: z.string().min(1), decimals })

/** Standard deviations of the logarithm of a price, without jumps; jumps are normal with mean 0. */
const moves = z.strictObject({
  volatilityPerDay: z.number().min(0).max(5),
  jumpsPerDay: z.number().min(0).max(10_000),
  jumpDeviation: z.number().min(0).max(5),
})

const regime = z.strictObject({
  /** Multiplies the volatility per day. */
  volatilityMultiplier: z.number().min(0).max(20),
  /** Daily change of the logarithm, up or down, as drawn when the regime begins. */
  trendPerDay: z.number().min(0).max(5),
  meanHours: z.number().positive(),
})

/** Price movement outside the chain; see simulator/agents/market.ts for the formulas. */
const market = z.strictObject({
  /** Each price and the common factor are in one regime at a time, and change to either other one. */
  regimes: z.strictObject({ quiet: regime, trending: regime, turbulent: regime }),
  /** Moves all prices except the stable one, each by its beta. */
  common: moves,
  own: moves,
  /** Uniform, per token. */
  beta: z.strictObject({ min: z.number().min(-5).max(5), max: z.number().min(-5).max(5) }),
  /** Log-uniform, for every token except the stable and the native one, launched ones included. */
  firstPriceUsd: z.strictObject({ min: z.number().min(1e-6).max(1e6), max: z.number().min(1e-6).max(1e6) }),
})

const fields = z.strictObject({
  description: z.string().min(1),
  /** The first block's time: the same seed gives the same blocks, times included. */
  startAt: z.iso
    .datetime({ error: 'expected a time in UTC such as 2026-01-05T00:00:00Z', abort: true })
    .refine((text) => text >= '1970' && text < '2500', { error: 'expected a time from 1970 to 2499' }),
  /** Blocks mined at startup, further apart than later ones. */
  history: z.strictObject({
    blocks: count,
    blockIntervalMs: z
      .int()
      .positive()
      .max(30 * DAY_MS),
  }),
  blockIntervalMs: z.int().positive().max(DAY_MS),
  tokens: z.strictObject({
    stable: token,
    /** The other token of many pools. */
    native: token.extend({ priceUsd: amountUsd }),
    /** Tokens that trade with the two above. */
    spokes: count,
    /** Chained tokens, T1 to Tn: T1 trades with the stable token, each other one only with its neighbors. */
    tail: count,
    unpooled: count,
    /** Names of spokes and launched tokens: a color and an animal, or names that break clients. */
    names: z.enum(['plain', 'hostile']),
    /** Decimals of spokes and launched tokens, drawn uniformly from the list. */
    decimals: z.array(decimals).min(1),
  }),
  crossPools: count,
  feeTiers: z.array(feeTier).min(1),
  /** Second pools, at another fee tier, for the first pairs. */
  secondPools: count,
  poolSizeUsd: sizeUsd,
  /** Range of a pool's first liquidity to either side of its first price, 100 ticks being 1%; null: all prices. */
  poolHalfWidthTicks: z.int().positive().max(800_000).nullable(),
  traders: z.int().positive(),
  traderFundsUsd: amountUsd,
  tradeSizeUsd: sizeUsd,
  /** Maximum input of a trade, as a share of the pool's balance. */
  tradePoolShareMax: share,
  /** Rejects a trade whose output is below the promised one by more than this share; null: no limit. */
  slippageTolerance: share.nullable(),
  swapsPerBlock: perBlock,
  multiHopShare: share,
  /** Share of swaps and positions visible only to their owner. */
  privateShare: share,
  market,
  arbitrage: z.strictObject({
    fundsUsd: amountUsd,
    /** Pools checked in rotation, in addition to those that moved. */
    poolsPerBlock: count,
    /** Minimum gap to the outside price, above the fee, that is worth a trade. */
    gapMin: share,
  }),
  claims: z.strictObject({
    afterBlocks: count,
    probabilityPerBlock: share,
    /** Share of claims that take only half of the remaining output. */
    partialShare: share,
  }),
  liquidity: z.strictObject({
    /** Wallets that provide liquidity in ranges around the price, in addition to the external accounts. */
    providers: z.int().positive(),
    fundsUsd: amountUsd,
    positionUsd: sizeUsd,
    /** Positions opened, moved, increased, reduced or closed, or their fees collected. */
    actionsPerBlock: perBlock,
    positionsMax: z.int().positive(),
  }),
  /** Value of each of the three tokens that the faucet gives, and the frequency of claims. */
  faucet: z.strictObject({ grantUsd: amountUsd, claimsPerBlock: perBlock }),
  /** New tokens with one pool each, from that block until the maximum. */
  launches: z.strictObject({
    fromBlock: count,
    everyBlocks,
    poolsMax: count,
    /** Share of swaps in one of the twenty newest pools. */
    attentionShare: share,
  }),
  /** Revisions of the configuration: one every `everyBlocks`. */
  governance: z.strictObject({
    everyBlocks,
    /** Minimum duration of pauses, the allowlist and gating: each ends with a separate revision. */
    holdBlocks: everyBlocks,
    /** Relative frequency of each kind; one without effect becomes an announcement. */
    weights: z.strictObject({
      announceTier: weight,
      addTier: weight,
      listToken: weight,
      pausePair: weight,
      disablePool: weight.default(0),
      enableAllowlist: weight,
      gatePoolCreation: weight,
      setProtocolFee: weight,
    }),
  }),
})

export type WorldFixture = z.infer<typeof fields>

type Rule = {
  path: [string, ...string[]]
  /** Fields that it reads: the rule runs only if each is valid on its own. */
  needs: readonly (keyof WorldFixture)[]
  /** The expectation that is violated; undefined if none is. */
  problem: (fixture: WorldFixture) => string | undefined
}

const RULES_ACROSS_FIELDS: readonly Rule[] = [
  {
    path: ['history'],
    needs: ['startAt', 'history'],
    problem: (fixture) => {
      const { blocks, blockIntervalMs } = fixture.history
      const endMs = parseStartMs(fixture) + blocks * blockIntervalMs
      return endMs < Date.UTC(3000) ? undefined : 'expected blocks that end before the year 3000'
    },
  },
  {
    path: ['tokens', 'spokes'],
    needs: ['tokens'],
    problem: ({ tokens }) =>
      tokens.spokes >= 1 ? undefined : 'expected at least 1, for the faucet’s third token',
  },
  {
    path: ['crossPools'],
    needs: ['tokens', 'crossPools'],
    problem({ tokens: { spokes }, crossPools }) {
      const pairs = (spokes * (spokes - 1)) / 2
      return crossPools <= pairs
        ? undefined
        : `expected at most ${pairs}, the number of pairs of ${spokes} spokes`
    },
  },
  {
    path: ['secondPools'],
    needs: ['tokens', 'feeTiers', 'secondPools'],
    problem({ tokens, feeTiers, secondPools }) {
      const pools = feeTiers.length > 1 ? 1 + tokens.tail + 2 * tokens.spokes : 0
      return secondPools <= pools
        ? undefined
        : `expected at most ${pools}, the number of pairs with a hub or in the tail; 0 with one fee tier`
    },
  },
  {
    path: ['feeTiers'],
    needs: ['feeTiers'],
    problem({ feeTiers }) {
      const fees = new Set(feeTiers.map(({ feePips }) => feePips))
      return fees.size === feeTiers.length ? undefined : 'expected each feePips once'
    },
  },
  {
    path: ['market', 'beta'],
    needs: ['market'],
    problem: ({ market: { beta } }) => (beta.min <= beta.max ? undefined : 'expected min to be at most max'),
  },
  {
    path: ['market', 'firstPriceUsd'],
    needs: ['market'],
    problem: ({ market: { firstPriceUsd } }) =>
      firstPriceUsd.min <= firstPriceUsd.max ? undefined : 'expected min to be at most max',
  },
  {
    path: ['governance', 'weights'],
    needs: ['governance'],
    problem: ({ governance: { weights } }) =>
      Object.values(weights).some((each) => each > 0) ? undefined : 'expected at least one above 0',
  },
]

/** Fields and rules report together: a rule whose fields are valid is reported even if other fields are invalid. */
const worldFixtureSchema = RULES_ACROSS_FIELDS.reduce<z.ZodType<WorldFixture>>(
  (schema, { path, needs, problem }) =>
    schema.refine((fixture) => problem(fixture) === undefined, {
      path,
      error: ({ input }) => problem(input as WorldFixture) ?? '', // as: what `when` let through
      when: ({ value }) => needs.every((name) => fields.shape[name].safeParse(Object(value)[name]).success),
    }),
  fields,
)

const FOLDER = resolve(import.meta.dirname, '../fixtures/worlds')

/** Reads fixtures/worlds/NAME.json, or the file if the name ends in .json. Throws BreakwaterError (usage). */
export function loadWorldFixture(name: string): WorldFixture {
  const file = namesAFile(name) ? name : join(FOLDER, `${name}.json`)
  return parseJsonFile({ file, text: readWorld(name, file), schema: worldFixtureSchema, what: 'world' })
}

export function worldNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}

export function parseStartMs(fixture: WorldFixture): number {
  return Date.parse(fixture.startAt)
}

function readWorld(name: string, file: string): string {
  try {
    return readRegularFile(file)
  } catch (cause) {
    if (!namesAFile(name)) {
      throw unknownName(`unknown world ${JSON.stringify(name)}`, {
        name,
        names: worldNames(),
        listed: 'All are in fixtures/worlds. The name of your own file must end in .json or .jsonc.',
      })
    }
    throw new BreakwaterError(`${name}: cannot be read: ${fileFailure(cause)}`, {
      hint: 'Expected a world such as those in fixtures/worlds.',
      cause,
    })
  }
}
