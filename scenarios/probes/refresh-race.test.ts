import { expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Session } from '../lib/identity/session.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { judgeReplies, raceOfFifty } from './refresh-race.ts'

// Modules that need k6.
vi.mock('../lib/duties/k6-tools.ts', () => ({}))
vi.mock('../lib/identity/shared-wallets.ts', () => ({}))
vi.mock('../lib/identity/wallet.ts', () => ({}))
vi.mock('../lib/requests/request.ts', () => ({
  isSuccess: ({ status }: Reply) => status === 200,
  request: async () => ({ status: 200, evidence: () => '' }),
}))
vi.mock('../lib/time/pause.ts', () => ({}))
vi.mock('../lib/world/control.ts', () => ({}))

const RULE = 'auth.refresh.race-one-winner'
const target = { profile: { choices: { verify: {}, cookies: {} } } } as Target // as: the only parts used

async function verdict(csrf: string | undefined): Promise<string> {
  const refused = { status: 403, cookies: [], json: {}, evidence: () => '' } as unknown as Reply // as: the parts used
  const session = { cookies: new Map(), csrf } as unknown as Session // as: the parts used
  let found = ''
  await judgeProbe({
    rules: [RULE],
    getExpected: () => '',
    run: (judge) =>
      judgeReplies(target, judge, {
        session,
        rules: { oneWinner: RULE, survives: RULE },
        replies: [refused, refused],
      }),
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed, reason }) => {
      found = `${verdict}: ${reason ?? observed}`
    },
  })
  return found
}

test('a race without a winner fails if the CSRF token was sent', async () => {
  expect(await verdict('token')).toMatch(/^fail: no winner/)
  expect(await verdict(undefined)).toMatch(/^skipped: no CSRF token at the path/)
})

test('a race of 50 states the burst that it needs', async () => {
  const rateLimit = { burst: 80, perSecond: 10, per: 'address' }
  const limited = { profile: { choices: { rateLimit } } } as Target // as: all that is read
  const judge = {} as Parameters<typeof raceOfFifty.run>[1] // as: unused
  await expect(raceOfFifty.run(limited, judge)).rejects.toThrow(
    "needs a burst of 100, and the profile's rate limit (choices.rateLimit) has 80",
  )
})
