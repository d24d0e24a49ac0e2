import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, fileFailure } from '../contract/breakwater-error.ts'
import { namesAFile, parseJsonFile, readRegularFile } from '../contract/json-file.ts'

const DAY_MS = 86_400_000
const count = z.int().min(0).max(1_000_000)
const amountUsd = z.number().positive().max(1e12)
const everyBlocks = z.int().positive()

/** Log-normal: half of all values lie below the median; `spread` is the standard deviation of the logarithm. */
const sizeUsd = z.strictObject({ median: amountUsd, spread: z.number().min(0).max(4) })

const share = z.number().min(0).max(1)
const weight = z.number().min(0)
const perBlock = z.number().min(0)

const feeTier = z.strictObject({
  feePips: z.int().positive().max(999_999),
  tickSpacing: z.int().positive().max(16_383),
  /** How many of the pools have it, against the others’ weights. */
  weight: z.number().positive(),
})

/**
 * Wrapped NEAR has 24, the most of any token in wide use. The registries of real chains take up to 255, but amounts are
 * 128 bits here as there: with 36 decimals, 340 whole tokens would fill them.
 */
const DECIMALS_MAX = 24
const decimals = z.int().min(0).max(DECIMALS_MAX)

const token = z.strictObject({ symbol: z.string().min(1), name: z.string().min(1), decimals })

/** Standard deviations of the logarithm of a price, what jumps add apart; jumps are normal in size, none on average. */
const moves = z.strictObject({
  volatilityPerDay: z.number().min(0).max(5),
  jumpsPerDay: z.number().min(0).max(10_000),
  jumpDeviation: z.number().min(0).max(5),
})

const regime = z.strictObject({
  /** Of the volatility per day. */
  volatilityMultiplier: z.number().min(0).max(20),
  /** What the logarithm gains, or loses, each day: up or down, as drawn when the regime begins. */
  trendPerDay: z.number().min(0).max(5),
  meanHours: z.number().positive(),
})

/** How prices move outside the chain: simulator/agents/market.ts says by which formulas. */
const market = z.strictObject({
  /** Each price, and what is common to all, is in one of them at a time, and goes on to either other one. */
  regimes: z.strictObject({ quiet: regime, trending: regime, turbulent: regime }),
  /** What moves all prices but the stable one, each by its beta. */
  common: moves,
  /** What moves one price alone. */
  own: moves,
  /** A token’s beta lies anywhere between, as likely. */
  beta: z.strictObject({ min: z.number().min(-5).max(5), max: z.number().min(-5).max(5) }),
  /** Of every token but the stable and the native one, launched ones included; each order of magnitude as likely. */
  firstPriceUsd: z.strictObject({ min: z.number().min(1e-6).max(1e6), max: z.number().min(1e-6).max(1e6) }),
})

const fields = z.strictObject({
  description: z.string().min(1),
  /** The first block's time: the same seed gives the same blocks, times included. */
  startAt: z.iso
    .datetime({ error: 'expected a time in UTC such as 2026-01-05T00:00:00Z', abort: true })
    .refine((text) => text >= '1970' && text < '2500', { error: 'expected a time from 1970 to 2499' }),
  /** Blocks after the first that are there at the start, further apart than those to come. */
  history: z.strictObject({
    blocks: count,
    blockIntervalMs: z
      .int()
      .positive()
      .max(30 * DAY_MS),
  }),
  blockIntervalMs: z.int().positive().max(DAY_MS),
  tokens: z.strictObject({
    /** One whole token is one dollar. */
    stable: token,
    /** The other side of many pools. */
    native: token.extend({ priceUsd: amountUsd }),
    /** Tokens that trade with the two above. */
    spokes: count,
    /** Tokens in a row, T1 to Tn: T1 trades with the stable token, each other one only with its neighbors. */
    tail: count,
    /** Tokens without a pool. */
    unpooled: count,
    /** Of spokes and launched tokens: of a color and an animal, or such as break what shows them. */
    names: z.enum(['plain', 'hostile']),
    /** Of spokes and launched tokens: one of these, each as likely. */
    decimals: z.array(decimals).min(1),
  }),
  /** Pools between two spokes. */
  crossPools: count,
  feeTiers: z.array(feeTier).min(1),
  /** Second pools, at another fee tier, of the pairs that have their pool first. */
  secondPools: count,
  poolSizeUsd: sizeUsd,
  /** How far a pool’s first liquidity reaches either way from its first price, 100 ticks being 1 %; null: everywhere. */
  poolHalfWidthTicks: z.int().positive().max(800_000).nullable(),
  /** Wallets that trade, besides the accounts that the world is given. */
  traders: z.int().positive(),
  traderFundsUsd: amountUsd,
  tradeSizeUsd: sizeUsd,
  /** No trade pays more than this share of what the pool holds of the token. */
  tradePoolShareMax: share,
  /** A trade that gives less than the price promised, by more than this share, is refused; null: traders take anything. */
  slippageTolerance: share.nullable(),
  swapsPerBlock: perBlock,
  /** The share of swaps over two or three pools. */
  multiHopShare: share,
  /** The share of swaps, and of positions, that only their owner sees. */
  privateShare: share,
  market,
  arbitrage: z.strictObject({
    /** Of each token. */
    fundsUsd: amountUsd,
    /** Pools looked at in turn, besides those that moved. */
    poolsPerBlock: count,
    /** A gap to the outside price of no more than this above the fee is not worth its costs. */
    gapMin: share,
  }),
  claims: z.strictObject({
    afterBlocks: count,
    probabilityPerBlock: share,
    /** The share of claims that take only half of what remains. */
    partialShare: share,
  }),
  liquidity: z.strictObject({
    /** Wallets that provide it in ranges about the price, besides the accounts that the world is given. */
    providers: z.int().positive(),
    fundsUsd: amountUsd,
    positionUsd: sizeUsd,
    /** Positions opened, moved, grown, shrunk, closed, or their fees collected. */
    actionsPerBlock: perBlock,
    /** A provider with so many positions opens no more. */
    positionsMax: z.int().positive(),
  }),
  /** What the faucet gives of each of three tokens, and how often somebody asks. */
  faucet: z.strictObject({ grantUsd: amountUsd, claimsPerBlock: perBlock }),
  /** New tokens with a pool each, from that block on, until that many were launched. */
  launches: z.strictObject({
    fromBlock: count,
    everyBlocks,
    poolsMax: count,
    /** The share of swaps in one of the twenty newest pools. */
    attentionShare: share,
  }),
  /** Revisions of the configuration: one each so many blocks. */
  governance: z.strictObject({
    everyBlocks,
    /** How long pauses, the allowlist and gating last, at the least: they end with a revision of their own. */
    holdBlocks: everyBlocks,
    /** How likely each kind is, against the others; one that would change nothing becomes an announcement. */
    weights: z.strictObject({
      announceTier: weight,
      addTier: weight,
      listToken: weight,
      pausePair: weight,
      /** A pool is disabled, and enabled again later. */
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
  /** The fields that it looks at: it is told only where each is right by itself. */
  needs: readonly (keyof WorldFixture)[]
  /** What was expected; undefined where it holds. */
  problem: (fixture: WorldFixture) => string | undefined
}

/** The rules that span fields. */
const RULES_ACROSS_FIELDS: readonly Rule[] = [
  {
    path: ['history'],
    needs: ['startAt', 'history'],
    problem: (fixture) => {
      const { blocks, blockIntervalMs } = fixture.history
      const endMs = startMsOf(fixture) + blocks * blockIntervalMs
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
      return crossPools <= pairs ? undefined : `expected at most ${pairs}, the pairs among ${spokes} spokes`
    },
  },
  {
    path: ['secondPools'],
    needs: ['tokens', 'feeTiers', 'secondPools'],
    problem({ tokens, feeTiers, secondPools }) {
      const pools = feeTiers.length > 1 ? 1 + tokens.tail + 2 * tokens.spokes : 0
      return secondPools <= pools
        ? undefined
        : `expected at most ${pools}, the pairs with a hub or in the tail, and 0 with one fee tier`
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

/** Fields and rules report together: a rule that looks at nothing wrong is told even where other fields are wrong. */
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

/** Reads fixtures/worlds/NAME.json, or the file where the name ends in .json. Throws BreakwaterError (usage). */
export function loadWorldFixture(name: string): WorldFixture {
  const file = namesAFile(name) ? name : join(FOLDER, `${name}.json`)
  return parseJsonFile({ file, text: readWorld(name, file), schema: worldFixtureSchema, what: 'world' })
}

/** The names of the worlds there are. */
export function worldNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .sort()
}

/** The virtual time of the world's first block, in milliseconds since the epoch. */
export function startMsOf(fixture: WorldFixture): number {
  return Date.parse(fixture.startAt)
}

function readWorld(name: string, file: string): string {
  try {
    return readRegularFile(file)
  } catch (cause) {
    const isFile = namesAFile(name)
    throw new BreakwaterError(
      isFile ? `${name}: cannot be read: ${fileFailure(cause)}` : `no world named ${JSON.stringify(name)}`,
      {
        hint: isFile
          ? 'Expected a world there, as those of fixtures/worlds.'
          : `There are: ${worldNames().join(', ')}. A file of your own ends in .json or .jsonc.`,
        cause,
      },
    )
  }
}
