// An event equals a read at its block or revision, and every change of a block has an event.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventType, ROOM_EVENTS } from '../../../contract/room-events.ts'
import { CHOICE_SETS, type Choices } from '../../choices/choices.ts'
import type { WindowStatsView } from '../../indexer/views/market-views.ts'
import type { Views } from '../../indexer/views/views.ts'
import { createSmallWorld } from '../../world/test-small-world.ts'
import type { World } from '../../world/world.ts'
import { eventPaths, eventSchema } from './event-schemas.ts'
import { type FeedEvent, generateEvents } from './events.ts'

type Step = { kind: 'mine' | 'reorg' | 'lag' | 'configure'; count: number }

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('mine', 'mine', 'mine', 'mine', 'reorg', 'lag', 'configure'),
  count: fc.integer({ min: 1, max: 6 }),
})

const STEPS: Record<Step['kind'], (world: World, count: number) => void> = {
  mine: (world, count) => world.mine(count),
  reorg: (world, count) => world.reorg(count),
  lag: (world, count) => world.setLag({ blocks: count - 1 }),
  configure: (world) => world.changeConfig({ scope: 'pause', key: 'global' }),
}

const SETS: readonly Choices[] = Object.values(CHOICE_SETS)

test.each(SETS)('with the choices $name', { timeout: 120_000 }, (choices) => {
  const seen = new Set<EventType>()
  const plan = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.array(step, { minLength: 20, maxLength: 30 }))
  fc.assert(
    fc.property(plan, ([seed, steps]) => {
      const { world } = createSmallWorld(seed)
      let before = shownBy(world)
      world.onBlock((update) => {
        const events = [...generateEvents(update, { choices, views: world.views, isWanted: () => true })]
        for (const event of events) {
          seen.add(event.type)
          eventSchema(event.type, choices).parse({ type: event.type, data: event.data })
          const timestamp = readPath(event, eventPaths(event.type, choices.profile)['data.timestamp'] ?? '')
          expect({ timestamp, ...event.data }).toMatchObject(
            READS[event.type](event, { views: world.views, choices }),
          )
        }
        const after = shownBy(world)
        // After a reorg clients read everything again; there are no events for reverted changes.
        if (update.reorged === 0)
          expect(describeEvents(events, choices)).toEqual(
            expect.arrayContaining(changes(before, after, choices)),
          )
        before = after
      })
      for (const { kind, count } of steps) STEPS[kind](world, count)
    }),
    { seed: 1, numRuns: 4 },
  )
  expect([...seen].sort()).toEqual(Object.values(ROOM_EVENTS).toSorted())
})

type Context = { views: Views; choices: Choices }

/** The result of a read at the event's block, in the format of the feed. */
const READS: Record<EventType, (event: FeedEvent, context: Context) => object> = {
  PoolLaunch(event, { views, choices }) {
    const pool = found(views.pool(decodePool(event, choices)))
    const { wire } = choices
    return {
      key: wire.poolKey.encode(pool.key),
      token0: wire.tokenId.encode(pool.token0.id),
      token1: wire.tokenId.encode(pool.token1.id),
      token0_symbol: pool.token0.symbol,
      token1_symbol: pool.token1.symbol,
      token0_name: pool.token0.name,
      token1_name: pool.token1.name,
      token0_decimals: pool.token0.decimals,
      token1_decimals: pool.token1.decimals,
      token0_image: pool.token0.image,
      token1_image: pool.token1.image,
      fee: wire.fee(pool.feePips),
      tick_spacing: pool.tickSpacing,
      enabled: pool.enabled,
      created_at: wire.timestamp(pool.createdAtMs),
      sqrt_price_x96: String(pool.sqrtPriceX96),
      tick: pool.tick,
      liquidity: String(pool.liquidity),
      ...readHead({ views, choices }),
    }
  },
  PoolStats(event, { views, choices }) {
    const { pool, windows, ...stats } = found(views.poolStats(decodePool(event, choices)))
    const window = ({ startMs, volume0, volume1, volumeUsd, priceChangePct }: WindowStatsView) => ({
      start: choices.wire.timestamp(startMs),
      volume0: String(volume0),
      volume1: String(volume1),
      volume_usd: volumeUsd,
      price_change_pct: priceChangePct,
    })
    return {
      price: stats.price,
      price_usd: stats.priceUsd,
      tvl_usd: stats.tvlUsd,
      balance0: String(pool.balance0),
      balance1: String(pool.balance1),
      enabled: pool.enabled,
      sqrt_price_x96: String(pool.sqrtPriceX96),
      tick: pool.tick,
      liquidity: String(pool.liquidity),
      windows: Object.fromEntries(Object.entries(windows).map(([name, shown]) => [name, window(shown)])),
      ...readHead({ views, choices }),
    }
  },
  Trade(event, { views, choices }) {
    const { rows } = views.trades({ pool: decodePool(event, choices), limit: 1000, offset: 0 })
    const trade = found(rows.find(({ id }) => id === named(event, 'id', choices)))
    return {
      kind: trade.kind,
      amount0: String(trade.amount0),
      amount1: String(trade.amount1),
      price: trade.price,
      sqrt_price_x96: String(trade.sqrtPriceX96),
      tick: trade.tick,
      liquidity: String(trade.liquidity),
      user: trade.user === null ? null : choices.wire.address.encode(trade.user),
      transaction: trade.transaction,
      block: trade.block,
      timestamp: choices.wire.timestamp(trade.atMs),
    }
  },
  Ohlcv(event, { views, choices }) {
    const [candle] = views.candles({
      pool: decodePool(event, choices),
      interval: '1m',
      limit: 1,
      offset: 0,
    }).rows
    const { open, high, low, close, interval, ...rest } = found(candle)
    return {
      interval,
      start: choices.wire.timestamp(rest.startMs),
      ...{ open, high, low, close },
      volume0: String(rest.volume0),
      volume1: String(rest.volume1),
      ...readHead({ views, choices }),
    }
  },
  BalanceChange(event, { views, choices }) {
    const address = found(choices.wire.address.decode(named(event, 'address', choices)))
    const tokenId = choices.wire.tokenId.decode(String(event.data.token))
    const held = found(views.balances(address).find(({ token }) => token.id === tokenId))
    return { balance: String(held.balance), ...readHead({ views, choices }) }
  },
  ProtocolConfigChanged(_event, { views, choices }) {
    const { revision, block } = views.protocolState()
    return { revision: choices.wire.revision(revision), observed_block: block }
  },
}

/** The readable values that have events, by a line that identifies each. */
function shownBy(world: World): ReadonlyMap<string, bigint> {
  const { views } = world
  const pools = views.pools({ limit: Number.MAX_SAFE_INTEGER, offset: 0 }).rows
  const balances = [...world.state().index.balances.keys()].flatMap((address) =>
    views
      .balances(address)
      .map(({ token, balance }): [string, bigint] => [`${address} ${token.id}`, balance]),
  )
  return new Map<string, bigint>([
    ...pools.flatMap(({ key, sqrtPriceX96, liquidity, balance0, balance1 }) =>
      Object.entries({ sqrtPriceX96, liquidity, balance0, balance1 }).map(
        ([name, value]): [string, bigint] => [`pool ${key} ${name}`, value],
      ),
    ),
    ...balances,
    ['revision', BigInt(views.protocolState().revision)],
  ])
}

function changes(
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
  { wire }: Choices,
): string[] {
  return [...after].flatMap(([line, value]) => {
    const delta = value - (before.get(line) ?? 0n)
    if (delta === 0n) return []
    const [first = '', second = ''] = line.split(' ')
    if (first === 'revision') return ['revision']
    if (first !== 'pool')
      return [`balance ${wire.address.encode(first)} ${wire.tokenId.encode(second)} ${delta}`]
    const key = wire.poolKey.encode(second)
    return before.has(line) ? [`stats ${key}`] : [`stats ${key}`, `launch ${key}`]
  })
}

function describeEvents(events: readonly FeedEvent[], choices: Choices): string[] {
  return events.map((event) => {
    if (event.type === 'ProtocolConfigChanged') return 'revision'
    if (event.type === 'PoolStats') return `stats ${named(event, 'pool', choices)}`
    if (event.type === 'PoolLaunch') return `launch ${named(event, 'pool', choices)}`
    if (event.type !== 'BalanceChange') return event.type
    return `balance ${named(event, 'address', choices)} ${event.data.token} ${event.data.delta}`
  })
}

function readHead({ views, choices }: Context) {
  const { height, timeMs } = views.head()
  return { block: height, timestamp: choices.wire.timestamp(timeMs) }
}

function decodePool(event: FeedEvent, choices: Choices): string {
  return found(choices.wire.poolKey.decode(named(event, 'pool', choices)))
}

/** The value at the path in the profile. */
function named(event: FeedEvent, name: keyof Choices['profile']['events'], choices: Choices): string {
  return String(readPath(event, eventPaths(event.type, choices.profile)[name] ?? ''))
}

function readPath(event: FeedEvent, path: string): unknown {
  // as: an object may have any key
  return path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], event)
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('no read covers this event')
  return value
}
