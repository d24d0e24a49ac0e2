// Compares events with the REST response at their block, field by field, by name.

import { expect, test } from 'vitest'
import { type EventType, findEventPath, ROOM_EVENTS } from '../contract/room-events.ts'
import { CHOICE_SETS, type Choices } from './choices/choices.ts'
import { at, createTestBed, type TestBed } from './exchange/test-bed.ts'
import { watchedWorld } from './exchange/test-world.ts'
import { type FeedEvent, generateEvents } from './gateway/events/events.ts'

type Context = { bed: TestBed; choices: Choices }
type Fields = Record<string, unknown>

const SETS: readonly Choices[] = Object.values(CHOICE_SETS)
const BLOCKS = 60

test.each(SETS)('with the choices $name', async (choices) => {
  const { world } = watchedWorld(5)
  const bed = await createTestBed({ world, choices })
  const events: FeedEvent[] = []
  world.onBlock((update) => {
    events.push(...generateEvents(update, { choices, views: world.views, isWanted: () => true }))
  })
  const compared = new Map<EventType, number>()
  for (let block = 0; block < BLOCKS; block++) {
    if (block === 10) world.changeConfig({ scope: 'pause', key: 'global' })
    if (block === 11) world.changeConfig({ scope: 'pause', key: 'global' })
    world.mine()
    for (const event of events.splice(0)) {
      const read = await READS[event.type](event, { bed, choices })
      if (!read) continue
      const received = {
        ...event.data,
        timestamp: at(event, findEventPath(choices.profile.eventTime.path, event.type) ?? ''),
      }
      expect(Object.keys(received)).toEqual(expect.arrayContaining([...read.names]))
      expect(pick(received, read.names)).toEqual(pick(read.fields, read.names))
      compared.set(event.type, (compared.get(event.type) ?? 0) + 1)
    }
  }
  expect([...compared.keys()].sort()).toEqual(Object.values(ROOM_EVENTS).toSorted())
})

/** A REST response and the names to compare; null if it is not readable. */
type Read = { fields: Fields; names: readonly string[] } | null

const STATS = ['price', 'price_usd', 'tvl_usd', 'sqrt_price_x96', 'tick', 'liquidity', 'balance0', 'balance1']
const CANDLE = ['start', 'open', 'high', 'low', 'close', 'volume0', 'volume1']
const TRADE = ['kind', 'user', 'amount0', 'amount1', 'price', 'sqrt_price_x96', 'tick', 'liquidity']

const READS: Record<EventType, (event: FeedEvent, context: Context) => Promise<Read>> = {
  async PoolLaunch(event, context) {
    const { data } = await get(poolPath(event, context), context)
    return { fields: data as Fields, names: ['key', 'token0', 'token1', 'enabled', 'fee'] } // as: a record
  },
  async PoolStats(event, context) {
    const { data } = await get(`${poolPath(event, context)}/stats`, context)
    const { observed_block: block, ...fields } = data as Fields // as: a record
    return { fields: { ...fields, block }, names: [...STATS, 'enabled', 'windows', 'block'] }
  },
  async Ohlcv(event, context) {
    const path = `${poolPath(event, context)}/ohlcv?interval=${event.data.interval}&limit=1`
    const { data, observed_block: block } = await get(path, context)
    const [candle] = data as Fields[] // as: records
    return { fields: { ...candle, block }, names: [...CANDLE, 'block'] }
  },
  async Trade(event, context) {
    const { data } = await get(`${poolPath(event, context)}/trades?limit=9`, context)
    const id = named(event, 'id', context)
    const fields = (data as Fields[]).find((row) => row.id === id) // as: records
    if (!fields) throw new Error(`REST has no trade ${id}`)
    return { fields, names: [...TRADE, 'transaction', 'block', 'timestamp'] }
  },
  async BalanceChange(event, context) {
    const { trader } = context.bed.wallets
    if (named(event, 'address', context) !== context.choices.wire.address.encode(trader.address)) return null
    const token = encodeURIComponent(String(event.data.token))
    const { data } = await get(`${context.choices.profile.balancesPath}/${token}`, context)
    const { observed_block: block, ...fields } = data as Fields // as: a record
    return { fields: { ...fields, block }, names: ['token', 'balance', 'block'] }
  },
  async ProtocolConfigChanged(event, context) {
    const body = await get(`/protocol/state?minimum_revision=${event.data.revision}`, context)
    const { revision } = context.choices.profile.protocolState
    return { fields: { revision: at(body, revision) }, names: ['revision'] }
  },
}

async function get(path: string, { bed }: Context): Promise<Fields> {
  const response = await bed.call(path, bearers.get(bed) ?? issueBearer(bed))
  expect(response.statusCode, path).toBe(200)
  return response.json()
}

/** One per test bed: a wallet has a maximum. */
const bearers = new WeakMap<TestBed, ReturnType<TestBed['bearer']>>()

function issueBearer(bed: TestBed): ReturnType<TestBed['bearer']> {
  const bearer = bed.bearer()
  bearers.set(bed, bearer)
  return bearer
}

function poolPath(event: FeedEvent, context: Context): string {
  return `/pools/${encodeURIComponent(named(event, 'pool', context))}`
}

function named(event: FeedEvent, name: keyof Choices['profile']['events'], { choices }: Context): string {
  return String(at(event, findEventPath(choices.profile.events[name], event.type) ?? ''))
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name]]))
}
