import fc from 'fast-check'
import { expect, it } from 'vitest'
import { alternativeChoices } from '../choices/alternative-choices.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { createSessions, type Grant } from './sessions.ts'

// The choices under which racing requests share the winner's session, and a refresh ends the previous access token.

const GRACE_MS = alternativeChoices.profile.refresh.graceSeconds * 1000

function setUp() {
  const clock = createClock({ startMs: 0 })
  const stream = createRandom(5).stream('auth')
  const sessions = createSessions({ clock, stream, choices: alternativeChoices })
  return { clock, sessions }
}

it('late requests get the winner’s grant', () => {
  const { clock, sessions } = setUp()
  const first = sessions.start('bw1a')
  const won = sessions.refresh(first.refreshToken)
  clock.advance(GRACE_MS)
  expect(won.outcome).toBe('rotated')
  expect(sessions.refresh(first.refreshToken)).toEqual(won)
  clock.advance(1)
  expect(sessions.refresh(first.refreshToken)).toEqual({ outcome: 'refused' })
  expect(sessions.list('bw1a')).toEqual([])
})

it('ends the previous access token at a refresh', () => {
  const { sessions } = setUp()
  const first = sessions.start('bw1a')
  const won = sessions.refresh(first.refreshToken)
  expect(sessions.byAccessToken(first.accessToken)).toBeUndefined()
  const fresh = won.outcome === 'rotated' ? won.grant.accessToken : ''
  expect(sessions.byAccessToken(fresh)?.address).toBe('bw1a')
})

it('never has two independent live grants, however refreshes interleave', () => {
  const step = fc.record({ generation: fc.nat({ max: 6 }), waitMs: fc.nat({ max: 1500 }) })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      const { clock, sessions } = setUp()
      const grants: Grant[] = [sessions.start('bw1a')]
      for (const { generation, waitMs } of steps) {
        clock.advance(waitMs)
        const requested = grants[Math.min(generation, grants.length - 1)]
        const result = sessions.refresh(requested?.refreshToken ?? '')
        if (result.outcome === 'rotated' && result.grant !== grants.at(-1)) grants.push(result.grant)
        const alive = grants.filter(({ accessToken }) => sessions.byAccessToken(accessToken))
        expect(alive).toEqual(sessions.list('bw1a').length === 0 ? [] : [grants.at(-1)])
      }
      expect(new Set(grants.map(({ refreshToken }) => refreshToken)).size).toBe(grants.length)
    }),
  )
})
