import { expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import { createIsNone } from './route-checks.ts'

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
