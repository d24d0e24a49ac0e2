import { expect, test } from 'vitest'
import { choicesSchema } from './profile.ts'
import { type EventPath, findEventPath } from './room-events.ts'
import { validate } from './validate.ts'

const BY_TYPE = { PoolLaunch: 'data.key', Ohlcv: null, '*': 'data.pool' }

test.each<[paths: EventPath, type: unknown, path: string | null]>([
  ['data.pool', 'Trade', 'data.pool'],
  ['data.pool', undefined, 'data.pool'],
  [null, 'Trade', null],
  [BY_TYPE, 'PoolLaunch', 'data.key'],
  [BY_TYPE, 'Trade', 'data.pool'],
  [BY_TYPE, 'Ohlcv', null],
  [BY_TYPE, 'constructor', 'data.pool'],
  [BY_TYPE, undefined, 'data.pool'],
  [{ Trade: 'data.id' }, 'PoolStats', null],
  [{}, 'Trade', null],
])('%j of %s: %j', (paths, type, path) => {
  expect(findEventPath(paths, type)).toBe(path)
})

test.each([
  [{ events: { pool: BY_TYPE } }, null],
  [
    { events: { id: { Trade: 'data.id' } }, eventTime: { path: { Trade: 'data.executed_at', '*': null } } },
    null,
  ],
  [{ events: { pool: 5 } }, ['events.pool: expected a string, null or an object']],
  [
    { events: { pool: { PoolLaunches: 'data.key' } } },
    ['events.pool.PoolLaunches: unknown key; did you mean PoolLaunch, PoolStats or Ohlcv?'],
  ],
])('%j in a profile', (choices, problems) => {
  expect(validate(choicesSchema, choices).problems).toEqual(problems)
})
