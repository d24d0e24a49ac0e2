import { expect, test, vi } from 'vitest'
import { ghostsIn } from './follower.ts'

// Modules that need k6.
vi.mock('../feed/served-feed.ts', () => ({}))
vi.mock('../identity/credential.ts', () => ({}))
vi.mock('../requests/request.ts', () => ({}))
vi.mock('../world/control.ts', () => ({}))
vi.mock('../world/keep-served.ts', () => ({}))
vi.mock('../requests/walk.ts', () => ({}))
vi.mock('./run-case.ts', () => ({}))

test('a ghost is a followed pool that changed without an event', () => {
  const picture = new Map([
    ['same', '1'],
    ['moved', '1'],
    ['received', '1'],
    ['not followed', '1'],
  ])
  const now = new Map([
    ['same', '1'],
    ['moved', '2'],
    ['received', '2'],
    ['not followed', '2'],
    ['new', '1'],
  ])
  const keys = ['same', 'moved', 'received', 'new']
  expect(ghostsIn(picture, { now, keys, received: new Set(['received']) })).toEqual(['moved', 'new'])
})
