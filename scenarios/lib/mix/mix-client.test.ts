import { expect, test, vi } from 'vitest'
import type { MixClient } from '../../../contract/mix.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { liveOnce } from './mix-client.ts'
import type { followMixFeed } from './mix-feed.ts'

const log: string[] = []
vi.mock('k6/metrics', () => ({
  Counter: class {
    add() {}
  },
}))
vi.mock('../client/open-client.ts', () => ({
  openClient: async () => ({
    credential: () => ({}),
    send: async ({ path }: { path: string }) => void log.push(path),
    leave: async () => void log.push('leave'),
  }),
}))
vi.mock('../history/cycles.ts', () => ({ CYCLES: { 'token-cycle': async () => void log.push('cycle') } }))
vi.mock('../history/record.ts', () => ({ recordSessions: () => ({ begin() {} }) }))
vi.mock('../redact.ts', () => ({ redactor: { mark() {}, forgetSince() {} } }))
vi.mock('../requests/request.ts', () => ({}))
vi.mock('../time/pause.ts', () => ({ pause: async () => {} }))
vi.mock('./mix-requests.ts', () => ({
  createMemory: () => ({ knows: () => true, pick() {} }),
  mixRequest: (name: string) => ({ path: name }),
  mixRooms: () => [],
}))

const CLIENT = {
  credential: 'session',
  refreshAfterSeconds: 60,
  thinkTime: { distribution: 'constant', seconds: 0 },
  feed: { rooms: {} },
  steps: [{ weight: 1, requests: ['token-cycle', 'swaps'] }],
} as unknown as MixClient // as: a visit reads no more

test('a refetch after missed events repeats the reads of a step, but no cycle', async () => {
  let refetch = async () => {}
  const follow = (_: unknown, options: Parameters<typeof followMixFeed>[1]) => {
    refetch = options.refetch
    return undefined
  }
  await liveOnce({
    target: { profile: { choices: {} } } as Target, // as: a visit reads no more
    client: CLIENT,
    wallets: [{ address: 'a1' } as never], // as: its secret is not used
    number: 0,
    lifeSeconds: 0,
    untilMs: 0,
    random: () => 0,
    followFeed: follow,
  })
  expect(log.splice(0)).toEqual(['cycle', 'swaps', 'leave'])
  await refetch()
  expect(log).toEqual(['swaps'])
})
