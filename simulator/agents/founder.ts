import { faker } from '@faker-js/faker/locale/en'
import { addressFrom, fieldFrom } from '../chain/identifiers.ts'
import type { TokenDraft, Transaction } from '../chain/transaction.ts'
import { logNormal, pickByWeight, type RandomStream } from '../random.ts'
import { parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { toBaseUnits } from './exact.ts'
import { drawPriceUsd, getPriceUsd, type Market, type Outside, openMarket, quoteToken } from './market.ts'
import { fundOpenings, openPool, type PoolTier } from './open-pool.ts'
import type { People } from './people.ts'

export type FoundingTokens = {
  stable: TokenDraft
  native: TokenDraft
  spokes: readonly TokenDraft[]
  tail: readonly TokenDraft[]
  unpooled: readonly TokenDraft[]
}

export type Founding = {
  tokens: FoundingTokens
  market: Market
  /** Transactions of block 0 and the following blocks; pools open over the first quarter of the history. */
  blocks: readonly (readonly Transaction[])[]
}

/** Founds a world: fee tiers, tokens, funds for traders and providers, then the pools. */
export function foundWorld(options: {
  fixture: WorldFixture
  people: People
  stream: RandomStream
  quotes: RandomStream
}): Founding {
  const { fixture, people, stream, quotes } = options
  const tokens = draftTokens(fixture, stream)
  const nowMs = parseStartMs(fixture)
  const market = openMarket(fixture.market, quotes, { stableId: tokens.stable.id, nowMs })
  const outside = { market, rules: fixture.market, stream: quotes }
  quoteTokens(outside, tokens, fixture, stream)
  const openings = planPools(tokens, fixture, stream).map(({ pair, tier }) =>
    openPool({
      sender: people.administrator,
      people,
      outside,
      pair,
      tier,
      sizeUsd: logNormal(stream, fixture.poolSizeUsd),
      halfWidthTicks: fixture.poolHalfWidthTicks,
    }),
  )
  const first: readonly Transaction[] = [
    ...fixture.feeTiers.map(
      ({ feePips, tickSpacing }): Transaction => ({
        kind: 'changeConfig',
        sender: people.administrator,
        change: { scope: 'fee_tiers', key: `${feePips}/${tickSpacing}` },
      }),
    ),
    ...allTokens(tokens).flatMap((token) => registerAndFund(token, fixture, people, outside)),
    ...fundOpenings(people, openings),
    setFaucet(tokens, fixture, people, outside),
  ]
  const pools = openings.map(({ transactions }) => transactions)
  const blocks = inBlocks(first, pools, Math.max(1, Math.floor(fixture.history.blocks / 4)))
  return { tokens, market, blocks }
}

function draftTokens({ tokens }: WorldFixture, stream: RandomStream): FoundingTokens {
  return {
    stable: draftToken(stream, tokens.stable),
    native: draftToken(stream, tokens.native),
    spokes: times(tokens.spokes, (index) => draftRandomToken(stream, tokens, index)),
    tail: times(tokens.tail, (index) =>
      draftToken(stream, { symbol: `T${index + 1}`, name: `Tail ${index + 1}`, decimals: 6 }),
    ),
    unpooled: times(tokens.unpooled, (index) =>
      draftToken(stream, { symbol: `LONE${index + 1}`, name: `Lone ${index + 1}`, decimals: 6 }),
    ),
  }
}

function allTokens({ stable, native, spokes, tail, unpooled }: FoundingTokens): readonly TokenDraft[] {
  return [stable, native, ...spokes, ...tail, ...unpooled]
}

function quoteTokens(
  outside: Outside,
  { native, spokes, tail, unpooled }: FoundingTokens,
  fixture: WorldFixture,
  stream: RandomStream,
): void {
  quoteToken(outside, native.id, fixture.tokens.native.priceUsd)
  for (const { id } of [...spokes, ...tail, ...unpooled])
    quoteToken(outside, id, drawPriceUsd(fixture.market, stream))
}

function registerAndFund(
  token: TokenDraft,
  fixture: WorldFixture,
  people: People,
  outside: Outside,
): Transaction[] {
  const worth = (usd: number) => amountWorth(usd, outside, token)
  const share = (recipients: readonly string[], amount: bigint) =>
    recipients.map((recipient) => ({ recipient, amount }))
  const shares = [
    ...share([...people.accounts, ...people.traders], worth(fixture.traderFundsUsd)),
    ...share([people.arbitrageur], worth(fixture.arbitrage.fundsUsd)),
    ...share(people.providers, worth(fixture.liquidity.fundsUsd)),
  ]
  return [
    { kind: 'registerToken', sender: people.administrator, token },
    { kind: 'mintToken', sender: people.administrator, tokenId: token.id, shares },
  ]
}

/** At least one base unit, which may exceed the amount in dollars for an expensive token without decimals. */
function amountWorth(
  usd: number,
  outside: Outside,
  { id, decimals }: { id: string; decimals: number },
): bigint {
  const amount = toBaseUnits(usd / getPriceUsd(outside, id), decimals)
  return amount > 0n ? amount : 1n
}

function setFaucet(
  { stable, native, spokes }: FoundingTokens,
  { faucet }: WorldFixture,
  { administrator }: People,
  outside: Outside,
): Transaction {
  const grant = ({ id, decimals }: TokenDraft) => ({
    tokenId: id,
    amount: amountWorth(faucet.grantUsd, outside, { id, decimals }),
  })
  const third = spokes[0] ?? native
  return { kind: 'setFaucet', sender: administrator, grants: [grant(stable), grant(native), grant(third)] }
}

type Pair = readonly [TokenDraft, TokenDraft]

/** Returns the stable/native pair, the spokes with them, the tail, and some pairs of spokes. */
function listPairs(tokens: FoundingTokens, crossPools: number, stream: RandomStream): readonly Pair[] {
  const { stable, native, spokes, tail } = tokens
  const row = [stable, ...tail]
  const tailPairs = tail.map((token, index): Pair => [row[index] ?? stable, token])
  const hubPairs = [stable, native].flatMap((hub) => spokes.map((spoke): Pair => [hub, spoke]))
  return [[stable, native], ...tailPairs, ...hubPairs, ...drawPairs(spokes, crossPools, stream)]
}

/** Returns one pool for each pair, and second pools at another tier for the first pairs, which arbitrage keeps aligned. */
function planPools(
  tokens: FoundingTokens,
  { crossPools, feeTiers, secondPools }: WorldFixture,
  stream: RandomStream,
): readonly { pair: Pair; tier: PoolTier }[] {
  const pools = listPairs(tokens, crossPools, stream).map((pair) => ({
    pair,
    tier: pickByWeight(feeTiers, stream),
  }))
  const seconds = pools.slice(0, secondPools).map(({ pair, tier }) => ({
    pair,
    tier: pickByWeight(
      feeTiers.filter(({ feePips }) => feePips !== tier.feePips),
      stream,
    ),
  }))
  return [...pools, ...seconds]
}

/** Draws distinct pairs of spokes by index: there may be millions. */
function drawPairs(spokes: readonly TokenDraft[], count: number, stream: RandomStream): readonly Pair[] {
  const last = spokes.length - 1
  const drawn = new Map<number, Pair>()
  while (drawn.size < count) {
    const [low, high] = [stream.int(0, last), stream.int(0, last)].sort((a, b) => a - b) as [number, number] // as: two
    const [a, b] = [spokes[low], spokes[high]]
    if (low !== high && a && b) drawn.set(low * spokes.length + high, [a, b])
  }
  return [...drawn.values()]
}

function inBlocks(
  first: readonly Transaction[],
  pools: readonly (readonly Transaction[])[],
  blockCount: number,
): readonly (readonly Transaction[])[] {
  const perBlock = Math.ceil(pools.length / blockCount)
  return times(blockCount, (index) => {
    const opened = pools.slice(index * perBlock, (index + 1) * perBlock).flat()
    return index === 0 ? [...first, ...opened] : opened
  })
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** A wrapper token for a token of another program. The id comes from the stream, so it cannot be derived. */
function draftToken(
  stream: RandomStream,
  { symbol, name, decimals }: { symbol: string; name: string; decimals: number },
): TokenDraft {
  const secret = Buffer.from(stream.bytes(32)).toString('hex')
  const program = symbol.toLowerCase().replace(/[^a-z0-9]/g, '_')
  return {
    id: fieldFrom(`token/${secret}`),
    address: addressFrom(`token/${secret}`),
    symbol,
    name,
    decimals,
    ammTokenProgram: `wrapped_${program}_${secret.slice(0, 6)}.program`,
    underlyingProgram: `${program}_${secret.slice(0, 6)}.program`,
    underlyingTokenId: fieldFrom(`underlying/${secret}`),
    image: stream.int(0, 3) === 0 ? null : `https://images.example/${secret.slice(0, 12)}.svg`,
  }
}

/**
 * Creates a token with a random name of the kind that the fixture sets. Symbols may repeat, as on any chain. `place`
 * selects the hostile name, so that a world's first tokens cover all of them.
 */
export function draftRandomToken(
  stream: RandomStream,
  { names, decimals }: WorldFixture['tokens'],
  place?: number,
): TokenDraft {
  const named = names === 'hostile' ? makeHostileName(stream, place) : makePlainName(stream)
  return draftToken(stream, { ...named, decimals: stream.pick(decimals) })
}

function makePlainName(stream: RandomStream): TokenName {
  // Reseeded for each name, so that the name depends on the stream only, not on the library's state.
  faker.seed(stream.int(0, 0x7fffffff))
  const name = `${faker.color.human()} ${faker.animal.type()}`.replace(/(^| )./g, (letter) =>
    letter.toUpperCase(),
  )
  const initials = name.replace(/[^A-Za-z]/g, '').toUpperCase()
  return { symbol: initials.slice(0, 1) + initials.slice(-stream.int(2, 4)), name }
}

type TokenName = { symbol: string; name: string }

export const LONG_NAME_LENGTH = 300

/** Names seen in real registries that break clients. Excludes NUL and unpaired surrogates. */
export const HOSTILE_NAMES: Readonly<Record<string, () => TokenName>> = {
  script: () => ({ symbol: '<b>XSS</b>', name: `<script>alert("${faker.company.name()}")</script>` }),
  attribute: () => ({ symbol: '"><img', name: `"><img src=x onerror='alert(1)'>` }),
  entity: () => ({ symbol: '&lt;&#0060;', name: '&lt;i&gt;&amp;amp; Token&lt;/i&gt;' }),
  rightToLeft: () => ({ symbol: 'دولار', name: 'دولار رقمي مستقر שקל' }),
  override: () => ({ symbol: 'BWT\u202eCDSU', name: 'Wrapped \u202enioC DSU\u202c' }),
  long: () => ({ symbol: faker.string.alpha({ length: 40, casing: 'upper' }), name: makeLongName() }),
  emoji: () => ({ symbol: '🚀🌕', name: `👩‍👩‍👧‍👦 ${faker.internet.emoji()} 🏴󠁧󠁢󠁳󠁣󠁴󠁿` }),
  /** The stable token's letters, some of them Cyrillic. */
  lookAlike: () => ({ symbol: 'USD\u0421', name: 'Wrapped USD C\u043e\u0456n' }),
  /** The stable token's exact name. */
  twin: () => ({ symbol: 'USDC', name: 'Wrapped USD Coin' }),
  /** Two spellings of é: look equal, and are equal once normalized. */
  unnormalized: () => ({ symbol: 'CAFE\u0301', name: 'Caf\u00e9 Cafe\u0301' }),
  invisible: () => ({ symbol: '\u200bBWT\ufeff', name: ' \u00a0\u200d\tWrapped\r\nBreakwater\u2028 ' }),
  combining: () => ({ symbol: 'Z\u0337\u0351\u0324', name: `Z${'\u0337\u0351\u0324\u0353'.repeat(40)}algo` }),
  sql: () => ({ symbol: "';--", name: `'; DROP TABLE tokens; -- ${faker.person.lastName()}` }),
  template: () => ({ symbol: '{{7*7}}', name: `\${7*7} <%= 7*7 %> %s%d%n {0}` }),
  path: () => ({ symbol: '../..', name: '../../../../etc/hosts?x=1#y&z=%2e%2e%2f' }),
  formula: () => ({ symbol: '=1+1', name: '=HYPERLINK("https://images.example/","Claim"),@SUM(1)' }),
  property: () => ({ symbol: '__proto__', name: 'constructor' }),
  nothing: () => ({ symbol: 'null', name: 'undefined' }),
  number: () => ({ symbol: '-0', name: '1e309' }),
  quoted: () => ({ symbol: '\\"', name: '\\u0000 \\ "name":"name", \\' }),
  control: () => ({ symbol: '\u0007BEL', name: '\u001b[31mred\u001b[0m \u0085 \u007f' }),
}

const MAKERS = Object.values(HOSTILE_NAMES)

/** The name at `place`, or a random one without it. */
function makeHostileName(stream: RandomStream, place?: number): TokenName {
  faker.seed(stream.int(0, 0x7fffffff))
  const make = place === undefined ? stream.pick(MAKERS) : MAKERS[place % MAKERS.length]
  if (!make) throw new RangeError(`no hostile name at ${place}`)
  return make()
}

function makeLongName(): string {
  return `Wrapped ${faker.lorem.words(80)}`.padEnd(LONG_NAME_LENGTH, 'x').slice(0, LONG_NAME_LENGTH)
}
