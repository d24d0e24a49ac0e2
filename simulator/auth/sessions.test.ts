import fc from 'fast-check'
import { expect, it } from 'vitest'
import { defaultChoices } from '../choices/default-choices.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { createSessions } from './sessions.ts'

const MINUTE_MS = 60_000

function setUp() {
  const clock = createClock({ startMs: 0 })
  const sessions = createSessions({ clock, stream: createRandom(5).stream('auth'), choices: defaultChoices })
  const refresh = (token: string) => {
    const result = sessions.refresh(token)
    if (result.outcome !== 'rotated') throw new Error(`expected a rotation, not ${result.outcome}`)
    return result.grant
  }
  return { clock, sessions, refresh }
}

it('access tokens live for 15 minutes', () => {
  const { clock, sessions } = setUp()
  const { accessToken, accessExpiresAtMs } = sessions.start('bw1a')
  expect(accessExpiresAtMs).toBe(15 * MINUTE_MS)
  clock.advance(15 * MINUTE_MS - 1)
  expect(sessions.byAccessToken(accessToken)?.address).toBe('bw1a')
  clock.advance(1)
  expect(sessions.byAccessToken(accessToken)).toBeUndefined()
})

it('revives an expired access session with a new token, in the same session', () => {
  const { clock, sessions, refresh } = setUp()
  const first = sessions.start('bw1a')
  const id = sessions.byAccessToken(first.accessToken)?.id
  clock.advance(20 * MINUTE_MS)
  const second = refresh(first.refreshToken)
  expect(second.refreshToken).not.toBe(first.refreshToken)
  expect(second.csrfToken).toBe(first.csrfToken)
  expect(sessions.byAccessToken(second.accessToken)?.id).toBe(id)
})

it.each([
  { afterMs: 0, outcome: 'raced', isAlive: true },
  { afterMs: 10_000, outcome: 'raced', isAlive: true },
  { afterMs: 10_001, outcome: 'refused', isAlive: false },
])('returns $outcome for a token replaced $afterMs ms ago', ({ afterMs, outcome, isAlive }) => {
  const { clock, sessions, refresh } = setUp()
  const first = sessions.start('bw1a')
  const second = refresh(first.refreshToken)
  clock.advance(afterMs)
  expect(sessions.refresh(first.refreshToken)).toEqual({ outcome })
  expect(sessions.byAccessToken(second.accessToken) !== undefined).toBe(isAlive)
  expect(sessions.refresh(second.refreshToken).outcome === 'rotated').toBe(isAlive)
})

it.each(['', '.', 'unknown', 'unknown.unknown'])('refuses the refresh token "%s"', (token) => {
  const { sessions } = setUp()
  sessions.start('bw1a')
  expect(sessions.refresh(token)).toEqual({ outcome: 'refused' })
  expect(sessions.list('bw1a')).toHaveLength(1)
})

it('ends a session that is not refreshed for seven days', () => {
  const { clock, sessions } = setUp()
  const { refreshToken } = sessions.start('bw1a')
  clock.advance(7 * 24 * 60 * MINUTE_MS)
  expect(sessions.list('bw1a')).toEqual([])
  expect(sessions.refresh(refreshToken)).toEqual({ outcome: 'refused' })
})

it('ends one session, or all of a wallet, at once', () => {
  const { sessions } = setUp()
  const grants = [
    sessions.start('bw1a'),
    sessions.start('bw1a'),
    sessions.start('bw1a'),
    sessions.start('bw1b'),
  ]
  const alive = () => grants.map(({ accessToken }) => sessions.byAccessToken(accessToken) !== undefined)
  sessions.end(sessions.list('bw1a')[1]?.id ?? '')
  expect(alive()).toEqual([true, false, true, true])
  expect(sessions.endAll('bw1a')).toBe(2)
  expect(alive()).toEqual([false, false, false, true])
  expect(sessions.refresh(grants[0]?.refreshToken ?? '')).toEqual({ outcome: 'refused' })
})

it('removes expired sessions, used or not', () => {
  const { clock, sessions } = setUp()
  for (let count = 0; count < 5000; count++) {
    sessions.start(`bw1${count}`)
    clock.advance(10 * MINUTE_MS)
  }
  // Seven days have 1,008 of them.
  expect(sessions.size()).toBeLessThanOrEqual(2 * 1008)
})

it('has one winner in every race, however the refreshes of several generations interleave', () => {
  const step = fc.record({ generation: fc.nat({ max: 6 }), waitMs: fc.nat({ max: 3000 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const { clock, sessions } = setUp()
      const tokens = [sessions.start('bw1a').refreshToken]
      const replacedAtMs: number[] = []
      let isAlive = true
      for (const { generation, waitMs } of steps) {
        clock.advance(waitMs)
        const index = Math.min(generation, tokens.length - 1)
        const result = sessions.refresh(tokens[index] ?? '')
        const isLatest = index === tokens.length - 1
        const isInGrace = clock.nowMs() - (replacedAtMs[index] ?? -Infinity) <= 10_000
        const expected = !isAlive ? 'refused' : isLatest ? 'rotated' : isInGrace ? 'raced' : 'refused'
        expect(result.outcome).toBe(expected)
        if (result.outcome === 'rotated') {
          replacedAtMs.push(clock.nowMs())
          tokens.push(result.grant.refreshToken)
        }
        if (result.outcome === 'refused') isAlive = false
        expect(sessions.list('bw1a')).toHaveLength(isAlive ? 1 : 0)
      }
      expect(new Set(tokens).size).toBe(tokens.length)
    }),
  )
})
