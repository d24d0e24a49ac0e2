// The shortest sequence of each mutant of sessions: what a client sees with the mutant, and without.
import { test } from 'vitest'
import { copy, expectSequence, type Row } from './test-sequence-client.ts'

const ROWS: readonly Row[] = [
  {
    mutant: 'sequence-fifth-refresh-keeps-token',
    show: async ({ signIn, refresh }) => {
      const me = await signIn()
      for (let count = 0; count < 4; count++) await refresh(me)
      const before = me.cookies.refresh
      await refresh(me)
      return me.cookies.refresh === before
    },
    right: false,
    wrong: true,
  },
  {
    mutant: 'sequence-eighth-refresh-wins',
    show: async ({ signIn, refresh, race }) => {
      const me = await signIn()
      await refresh(me)
      return (await race(me, 8)).filter((status) => status === 200).length
    },
    right: 1,
    wrong: 2,
  },
  {
    mutant: 'sequence-token-before-last-refreshes',
    show: async ({ signIn, refresh }) => {
      const me = await signIn()
      const old = copy(me)
      await refresh(me)
      await refresh(me)
      await refresh(me)
      return refresh(old)
    },
    right: 409,
    wrong: 200,
  },
  {
    mutant: 'sequence-fourth-race-ends-session',
    show: async ({ signIn, race, reads }) => {
      const me = await signIn()
      for (let count = 0; count < 4; count++) await race(me, 2)
      return reads(me)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-csrf-unknown-after-two-refreshes',
    show: async ({ signIn, refresh, post }) => {
      const me = await signIn()
      await refresh(me)
      await refresh(me)
      return post('/auth/logout', me)
    },
    right: 200,
    wrong: 403,
  },
  {
    mutant: 'sequence-replaced-token-survives-logout',
    show: async ({ signIn, refresh, post }) => {
      const me = await signIn()
      const old = copy(me)
      await refresh(me)
      await post('/auth/logout', me)
      return refresh(old)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-logout-after-two-refreshes-ignored',
    show: async ({ signIn, refresh, post, reads }) => {
      const me = await signIn()
      await refresh(me)
      await refresh(me)
      await post('/auth/logout', me)
      return reads(me)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-logout-all-misses-fifth-session',
    show: async ({ signInTimes, post, reads }) => {
      const [first, , , , fifth] = await signInTimes(5)
      await post('/auth/logout-all', first)
      return reads(fifth)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-logout-of-five-ends-oldest',
    show: async ({ signInTimes, post, reads }) => {
      const [first, , , , fifth] = await signInTimes(5)
      await post('/auth/logout', fifth)
      return reads(first)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-second-revoke-ends-caller',
    show: async ({ signInTimes, listSessions, post, reads }) => {
      const [first] = await signInTimes(2)
      const [, id] = await listSessions(first)
      await post(`/auth/sessions/${id}/revoke`, first)
      await post(`/auth/sessions/${id}/revoke`, first)
      return reads(first)
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-session-unlisted-after-two-refreshes',
    show: async ({ signIn, refresh, listSessions }) => {
      const me = await signIn()
      await refresh(me)
      await refresh(me)
      return (await listSessions(me)).length
    },
    right: 1,
    wrong: 0,
  },
  {
    mutant: 'sequence-revoke-of-refreshed-ignored',
    show: async ({ signInTimes, listSessions, refresh, post, reads }) => {
      const [first, second] = await signInTimes(2)
      const [, id] = await listSessions(first)
      await refresh(second)
      await post(`/auth/sessions/${id}/revoke`, first)
      return reads(second)
    },
    right: 401,
    wrong: 200,
  },
  {
    mutant: 'sequence-sign-in-dead-after-third-logout-all',
    show: async ({ signIn, post, reads }) => {
      for (let count = 0; count < 3; count++) await post('/auth/logout-all', await signIn())
      return reads(await signIn())
    },
    right: 200,
    wrong: 401,
  },
  {
    mutant: 'sequence-own-revoke-keeps-refresh',
    show: async ({ signIn, listSessions, post, refresh }) => {
      const me = await signIn()
      const [id] = await listSessions(me)
      await post(`/auth/sessions/${id}/revoke`, me)
      return refresh(me)
    },
    right: 401,
    wrong: 200,
  },
]

test.each(ROWS)('$mutant shows after its sequence', expectSequence)
