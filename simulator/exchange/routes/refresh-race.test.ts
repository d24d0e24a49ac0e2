// Overlapping refreshes, in every order: a scheduler decides which request continues at each wait.
import fc, { type Scheduler } from 'fast-check'
import { expect, it } from 'vitest'
import { IN_FULL } from '../../../tools/test/tree-sample.ts'
import type { MutantName } from '../../mutants/mutants.ts'
import { createTestBed, readCookies } from '../test-bed.ts'

type RefreshResponse = {
  presented: string
  status: number
  code: string | undefined
  cookies: Record<string, string>
}

async function setUp(scheduler: Scheduler, mutant: MutantName | null) {
  const turn = async () => void (await scheduler.schedule(Promise.resolve()))
  const bed = await createTestBed({ mutant, turn })
  const me = await bed.signIn()
  const refresh = async (presented: string): Promise<RefreshResponse> => {
    const response = await bed.call('/auth/refresh', { method: 'POST', cookies: { refresh: presented } })
    return {
      presented,
      status: response.statusCode,
      code: response.json().code,
      cookies: readCookies(response),
    }
  }
  const reads = async (cookies: Record<string, string>) => (await bed.call('/swaps', { cookies })).statusCode
  const sessions = () => bed.auth.sessions.list(bed.wallets.trader.address)
  return { bed, me, refresh, reads, sessions }
}

/** Tabs of one browser share its cookies: each refreshes several times with the current contents of the jar. */
async function raceTabs(scheduler: Scheduler, rounds: readonly number[], mutant: MutantName | null = null) {
  const { me, refresh, reads, sessions } = await setUp(scheduler, mutant)
  const before = sessions().map(({ id }) => id)
  const jar = { ...me.cookies }
  const responses: RefreshResponse[] = []
  const tab = async (refreshes: number) => {
    for (let count = 0; count < refreshes; count++) {
      const response = await refresh(jar.refresh ?? '')
      Object.assign(jar, response.cookies)
      responses.push(response)
    }
  }
  await scheduler.waitFor(Promise.all(rounds.map(tab)))

  const winners = responses.filter(({ status }) => status === 200)
  const losers = responses.filter(({ status }) => status !== 200)
  expect(losers.filter(({ status, code }) => status !== 409 || code !== 'refresh_raced')).toEqual([])
  expect(losers.filter(({ cookies }) => Object.keys(cookies).length > 0)).toEqual([])
  // One winner for each presented token, and each winner presented another token.
  expect(winners.map(({ presented }) => presented).sort()).toEqual(
    [...new Set(responses.map(({ presented }) => presented))].sort(),
  )
  expect(new Set(winners.map(({ cookies }) => cookies.refresh)).size).toBe(winners.length)
  expect(sessions().map(({ id }) => id)).toEqual(before)
  expect([await reads(jar), await reads(me.cookies)]).toEqual([200, 200])
}

const tabs = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 5 })

it('has one winner for each token, however they interleave, and the losers leave the session unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), tabs, (scheduler, rounds) => raceTabs(scheduler, rounds)),
    {
      numRuns: IN_FULL ? 60 : 20,
    },
  )
})

it('a logout among refreshes ends the session, whichever response comes last', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.integer({ min: 1, max: 4 }),
    async (scheduler, count) => {
      const { bed, me, refresh, reads, sessions } = await setUp(scheduler, null)
      const logout = async () => {
        await scheduler.schedule(Promise.resolve())
        return (await bed.call('/auth/logout', { ...me, method: 'POST' })).statusCode
      }
      const refreshes = Array.from({ length: count }, () => refresh(me.cookies.refresh ?? ''))
      const [status, ...answers] = await scheduler.waitFor(Promise.all([logout(), ...refreshes]))
      expect(status).toBe(200)
      expect(sessions()).toEqual([])
      for (const { cookies } of answers) {
        expect(await reads(cookies)).toBe(401)
        if (cookies.refresh) expect((await scheduler.waitFor(refresh(cookies.refresh))).status).toBe(401)
      }
    },
  )
  await fc.assert(property, { numRuns: IN_FULL ? 40 : 15 })
})
