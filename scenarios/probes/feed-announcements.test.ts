import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import { judgeAgrees } from './feed-announcements.ts'

// Modules that need k6.
vi.mock('../lib/feed/feed.ts', () => ({}))
vi.mock('../lib/feed/join-and-close.ts', () => ({}))
vi.mock('../lib/feed/served-feed.ts', () => ({}))
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/probe/watch-records.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/requests/walk.ts', () => ({}))
vi.mock('../lib/time/has-control.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))
vi.mock('../lib/world/keep-served.ts', () => ({}))
vi.mock('../lib/world/news.ts', () => ({}))
vi.mock('../lib/world/wait-until-shown.ts', () => ({}))
vi.mock('./feed-config-change.ts', () => ({}))
vi.mock('./feed-kept-rooms.ts', () => ({}))
vi.mock('./feed-delivery.ts', () => ({}))
vi.mock('./feed-config-events.ts', () => ({}))

test('without the path of the revision, the event is compared with nothing', async () => {
  const target = { profile: { choices: { protocolState: { revision: null } } } } as Target // as: all that is read
  const judge = {} as Parameters<typeof judgeAgrees>[1] // as: unused
  await expect(judgeAgrees(target, judge, 7n)).rejects.toThrow(
    'the profile does not state the path of the revision in /protocol/state (choices.protocolState.revision)',
  )
})
