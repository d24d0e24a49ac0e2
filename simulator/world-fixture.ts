import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { parseJsonFile } from '../contract/parse-json-file.ts'

const count = z.int().min(0)
const amountUsd = z.number().positive()
const everyBlocks = z.int().positive()

/** Log-normal: half of all values lie below the median; `spread` is the standard deviation of the logarithm. */
const sizeUsd = z.strictObject({ median: amountUsd, spread: z.number().min(0).max(4) })

const share = z.number().min(0).max(1)
const perBlock = z.number().min(0)

const feeTier = z.strictObject({
  feePips: z.int().positive().max(999_999),
  tickSpacing: z.int().positive().max(16_383),
  /** How many of the pools have it, against the others’ weights. */
  weight: z.number().positive(),
})

const token = z.strictObject({
  symbol: z.string().min(1),
  name: z.string().min(1),
  decimals: z.int().min(0).max(18),
})

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

/** How prices move outside the chain: simulator/agents/price-process.ts and market.ts say by which formulas. */
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

const worldFixtureSchema = z.strictObject({
  description: z.string().min(1),
  /** The first block's time: the same seed gives the same blocks, times included. */
  startAt: z.iso.datetime({ error: 'expected a time in UTC such as 2026-01-05T00:00:00Z' }),
  /** Blocks after the first that are there at the start, further apart than those to come. */
  history: z.strictObject({ blocks: count, blockIntervalMs: z.int().positive() }),
  blockIntervalMs: z.int().positive(),
  tokens: z.strictObject({
    /** One whole token is one dollar. */
    stable: token,
    /** The other side of many pools. */
    native: token.extend({ priceUsd: amountUsd }),
    /** Tokens that trade with the two above. */
    spokes: count,
    /** Tokens in a row, T1 to Tn: T1 trades with the stable token, each other one only with its neighbours. */
    tail: count,
    /** Tokens without a pool. */
    unpooled: count,
  }),
  /** Pools between two spokes. */
  crossPools: count,
  feeTiers: z.array(feeTier).min(1),
  /** Second pools, at another fee tier, of the pairs that have their pool first. */
  secondPools: count,
  poolSizeUsd: sizeUsd,
  /** Wallets that trade, besides the accounts that the world is given. */
  traders: z.int().positive(),
  traderFundsUsd: amountUsd,
  tradeSizeUsd: sizeUsd,
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
  launches: z.strictObject({ fromBlock: count, everyBlocks, poolsMax: count }),
  /** Revisions of the configuration. */
  governance: z.strictObject({ everyBlocks }),
})

export type WorldFixture = z.infer<typeof worldFixtureSchema>

const FOLDER = resolve(import.meta.dirname, '../fixtures/worlds')

/** Reads fixtures/worlds/NAME.json, or the file where the name ends in .json. Throws BreakwaterError (usage). */
export function loadWorldFixture(name: string): WorldFixture {
  const file = name.endsWith('.json') ? name : join(FOLDER, `${name}.json`)
  const fixture = parseJsonFile({
    file,
    text: readWorld(name, file),
    schema: worldFixtureSchema,
    what: 'world',
  })
  const problems = problemsAcrossFields(fixture)
  if (problems.length > 0) {
    const lines = problems.map((problem) => `\n  ${problem}`)
    throw new BreakwaterError(`${file}: not a valid world:${lines.join('')}`)
  }
  return fixture
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
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new BreakwaterError(`no world named ${JSON.stringify(name)}`, {
      hint: `There are: ${worldNames().join(', ')}. A file of your own ends in .json.`,
      cause,
    })
  }
}

/** The rules that span two fields. */
function problemsAcrossFields({
  tokens,
  crossPools,
  secondPools,
  feeTiers,
}: WorldFixture): readonly string[] {
  const pairs = (tokens.spokes * (tokens.spokes - 1)) / 2
  const pools = feeTiers.length > 1 ? 1 + tokens.tail + 2 * tokens.spokes : 0
  const fees = feeTiers.map(({ feePips }) => feePips)
  const checks = [
    {
      holds: crossPools <= pairs,
      problem: `crossPools: expected at most ${pairs}, the pairs among ${tokens.spokes} spokes`,
    },
    {
      holds: secondPools <= pools,
      problem: `secondPools: expected at most ${pools}, the pairs with a hub or in the tail, and 0 with one fee tier`,
    },
    { holds: new Set(fees).size === fees.length, problem: 'feeTiers: expected each feePips once' },
    {
      holds: 2 + tokens.spokes >= 3,
      problem: 'tokens.spokes: expected at least 1, for the faucet’s third token',
    },
  ]
  return checks.filter(({ holds }) => !holds).map(({ problem }) => problem)
}
