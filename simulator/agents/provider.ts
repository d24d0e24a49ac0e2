import { amountsBehind, type PositionRange, positionKey } from '../amm/position.ts'
import { getBalance, owedNow, toPositionRange } from '../chain/ledger.ts'
import { tradingBar } from '../chain/pair.ts'
import type { ChainPool, ChainPosition, ChainState } from '../chain/state.ts'
import type { Transaction } from '../chain/transaction.ts'
import { logNormal, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { isPriced, type Outside } from './market.ts'
import { liquidityWorth, rangeAbout } from './open-pool.ts'
import type { People } from './people.ts'

const ACCOUNT_SHARE = 0.25
/** Half-width of a range in ticks: 4,000 is a factor of 1.5 to either side. */
const HALF_WIDTH_TICKS = { median: 4000, spread: 0.7 }
/** Limits a position to this fraction of its owner's balance: the price may move before the block. */
const BALANCE_DIVISOR = 4n
const ALL = (1n << 128n) - 1n

export type Providing = {
  state: ChainState
  outside: Outside
  people: People
  fixture: WorldFixture
  stream: RandomStream
}

/** Actions of concentrated-liquidity providers for the next block, at most one per provider. */
export function provideLiquidity(providing: Providing): readonly Transaction[] {
  const { people, fixture, stream } = providing
  const count = Math.floor(fixture.liquidity.actionsPerBlock + stream.float())
  const owners = Array.from({ length: count }, () => drawOwner(people, stream))
  return [...new Set(owners)].flatMap((owner) => act(providing, owner))
}

function drawOwner({ accounts, providers }: People, stream: RandomStream): string {
  return accounts.length > 0 && stream.float() < ACCOUNT_SHARE
    ? stream.pick(accounts)
    : stream.pick(providers)
}

/** Opens a position, more likely the fewer the owner has; otherwise moves one that is out of range, or maintains another. */
function act(providing: Providing, owner: string): readonly Transaction[] {
  const { state, fixture, stream } = providing
  const owned = [...(state.positionsByOwner.get(owner) ?? [])]
    .map((id) => state.positions.get(id))
    .filter((position) => position !== undefined && position.frozenAtMs === null) as ChainPosition[] // as: filtered
  const open = 1 - owned.length / fixture.liquidity.positionsMax
  if (owned.length === 0 || stream.float() < open) return openPosition(providing, owner, drawPool(providing))
  const position = stream.pick(owned)
  const pool = state.pools.get(position.pool)
  if (!pool) return []
  const isLeft = pool.amm.tick < position.tickLower || pool.amm.tick >= position.tickUpper
  return isLeft
    ? [...closePosition(pool, position), ...openPosition(providing, owner, pool)]
    : tend(providing, pool, position)
}

const WAYS = ['collect', 'collect', 'increase', 'shrink', 'close'] as const

function tend(providing: Providing, pool: ChainPool, position: ChainPosition): readonly Transaction[] {
  const { state, outside, stream } = providing
  const { owner: sender, id } = position
  const liquidity = getLiquidity(pool, position)
  switch (stream.pick(WAYS)) {
    case 'collect':
      return owesFees(pool, position) ? [collect(position)] : []
    case 'increase': {
      const added = affordable(state, pool, toPositionRange(position), sender, liquidity / 4n)
      if (added <= 0n || tradingBar(state, pool) || !isPriced(outside, pool)) return []
      return [{ kind: 'increasePosition', sender, position: id, liquidity: added }]
    }
    case 'shrink':
      return [{ kind: 'burnPosition', sender, position: id, liquidity: liquidity / 2n }, collect(position)]
    case 'close':
      return closePosition(pool, position)
  }
}

function closePosition(pool: ChainPool, position: ChainPosition): readonly Transaction[] {
  const { owner: sender, id } = position
  const burn = {
    kind: 'burnPosition' as const,
    sender,
    position: id,
    liquidity: getLiquidity(pool, position),
  }
  return [burn, collect(position)]
}

function collect({ owner: sender, id }: ChainPosition): Transaction {
  return { kind: 'collectPosition', sender, position: id, amount0Max: ALL, amount1Max: ALL }
}

function openPosition(
  providing: Providing,
  sender: string,
  pool: ChainPool | undefined,
): readonly Transaction[] {
  const { state, outside, fixture, stream } = providing
  if (!pool || tradingBar(state, pool) || !isPriced(outside, pool)) return []
  const range = { owner: '', ...rangeAbout(pool.amm, logNormal(stream, HALF_WIDTH_TICKS)) }
  const wanted = wantedLiquidity(providing, pool, range, logNormal(stream, fixture.liquidity.positionUsd))
  const liquidity = affordable(state, pool, range, sender, wanted)
  const isPrivate = stream.float() < fixture.privateShare
  if (liquidity <= 0n) return []
  const { tickLower, tickUpper } = range
  return [{ kind: 'mintPosition', sender, pool: pool.key, tickLower, tickUpper, liquidity, isPrivate }]
}

function drawPool({ state, stream }: Providing): ChainPool | undefined {
  return state.poolKeys.length === 0 ? undefined : state.pools.get(stream.pick(state.poolKeys))
}

function wantedLiquidity(
  { state, outside }: Providing,
  pool: ChainPool,
  range: PositionRange,
  sizeUsd: number,
): bigint {
  const getScale = (id: string) => ({ id, decimals: state.tokens.get(id)?.decimals ?? 0 })
  const tokens = [getScale(pool.token0), getScale(pool.token1)] as const
  return liquidityWorth(outside, { amm: pool.amm, tokens }, range, sizeUsd)
}

function affordable(
  state: ChainState,
  pool: ChainPool,
  range: PositionRange,
  owner: string,
  wanted: bigint,
): bigint {
  if (wanted <= 0n) return 0n
  const { amount0, amount1 } = amountsBehind(pool.amm, range, wanted, 'up')
  const sides = [
    { needed: amount0, token: pool.token0 },
    { needed: amount1, token: pool.token1 },
  ]
  return sides.reduce((liquidity, { needed, token }) => {
    const most = getBalance(state, owner, token) / BALANCE_DIVISOR
    return needed <= most ? liquidity : lesser(liquidity, (wanted * most) / needed)
  }, wanted)
}

function getLiquidity({ amm }: ChainPool, position: ChainPosition): bigint {
  return amm.positions.get(positionKey(toPositionRange(position)))?.liquidity ?? 0n
}

function owesFees({ amm }: ChainPool, position: ChainPosition): boolean {
  const { owed0, owed1 } = owedNow(amm, toPositionRange(position))
  return owed0 > 0n || owed1 > 0n
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
