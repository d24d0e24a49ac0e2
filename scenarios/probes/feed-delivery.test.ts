import { expect, test, vi } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { countArrived } from './feed-delivery.ts'

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/busy-pools.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/time/paused-mining.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/world/keep-served.ts', () => ({}))
vi.mock('./feed-config-change.ts', () => ({}))

const TARGET = { profile: { choices: choicesSchema.parse({}) } } as Target // as: the only part used

function list(...ids: (string | undefined)[]): FeedMessage[] {
  return ids.map((id) => ({ type: 'Trade', json: { type: 'Trade', data: { id } }, text: '' }))
}

test.each([
  ['the first event', list('2'), list('2', '3'), list('1', '2', '3'), 1],
  ['a later event only', list('2'), list('3'), list('1', '2', '3'), 0],
  ['nothing', list('2'), [], list('1', '2', '3'), 0],
  ['events whose ids differ for each socket', list('2'), list('a'), list('1', '2', '3'), 1],
  ['events without ids', list(undefined), list(undefined, undefined), list(undefined), 1],
])('a socket that got %s', (_, first, received, witnessed, arrived) => {
  expect(countArrived(TARGET, first, received, witnessed)).toBe(arrived)
})
