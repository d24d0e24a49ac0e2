import { expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { createIsNone, createIsOtherRefusal } from './route-checks.ts'

// Modules that need k6.
vi.mock('../lib/market/market.ts', () => ({}))
vi.mock('../lib/requests/confirm.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))

const profile = profileSchema.parse({
  name: 'test',
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1',
  choices: { route: { hops: 'data.hops' } },
})
const reply = (data: unknown, status = 200) => ({ reply: { status, json: { data } } })
const ROUTED = reply({ hops: [{}] })

test.each([
  ['a null payload', reply(null), true],
  ['no hops', reply({ hops: [] }), true],
  ['a hop', ROUTED, false],
  ['no list of hops', reply({}), false],
  ['no hops in a rejection', reply({ hops: [] }, 404), false],
])('a reply with %s is no route: %s', (_, one, expected) => {
  expect(createIsNone({ profile }, [ROUTED, one])(one.reply)).toBe(expected)
})

test('a list that is empty in every route may be another list', () => {
  const one = reply({ hops: [] })
  expect(createIsNone({ profile }, [one, one])(one.reply)).toBe(false)
})

const between = (tokenIn: string, tokenOut: string, status: number, data: unknown = { hops: [{}] }) => ({
  pair: { tokenIn, tokenOut, distance: 4 },
  ...reply(data, status),
})

test.each([
  ['a 404', between('a', 'b', 404), false],
  ['a 400, both in routes to others', between('a', 'b', 400), true],
  ['a 400, one in no route', between('a', 'z', 400), false],
  ['a 451', between('a', 'b', 451), false],
  ['a 500, one in no route', between('a', 'z', 500), true],
  ['a 204', between('a', 'z', 204), true],
  ['a 200 without a route', between('a', 'z', 200, null), true],
])('%s instead of a route is another refusal: %s', (_, one, expected) => {
  const requested = [between('a', 'c', 200), between('c', 'b', 200), between('z', 'a', 404), one]
  const isNone = createIsNone({ profile }, requested)
  expect(createIsOtherRefusal({ requested, isNone })(one)).toBe(expected)
})
