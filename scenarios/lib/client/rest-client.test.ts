import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateGate } from '../../../client/retry-wait.ts'
import { testTools } from '../../../client/test-tools.ts'
import { createPatience } from '../requests/patient.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential, RequestSpec } from '../requests/request.ts'
import { createSessionAccess, fixedAccess, type Jar } from './access.ts'
import { ClientStopped, createRestClient } from './rest-client.ts'

const READ: RequestSpec = { method: 'GET', path: '/swaps' }
const DAY_MS = 24 * 3600 * 1000

function reply(status: number): Reply {
  return { status, headers: {}, contentType: 'application/json', evidence: () => String(status) } as Reply // as: only these are read
}

type Shop = {
  /** The valid cookie; a refresh replaces it. */
  good: string
  /** Refreshes with this cookie get 409, as if another tab were refreshing. */
  racing: string
  refreshMs: number
  refuses: 'no one' | 'refreshes' | 'all' | 'access'
  log: string[]
}

/** An exchange with one wallet, and tabs that share its cookies. */
function shop(options: Partial<Shop> = {}) {
  const time = testTools()
  const { tools } = time
  const state: Shop = { good: 'c0', racing: '', refreshMs: 100, refuses: 'no one', log: [], ...options }
  let cookie = 'c0'
  let made = 0
  const newCookie = () => `c${++made}`
  const jar: Jar = {
    address: 'bw1a',
    credential: () => ({ cookie, csrf: undefined }),
    async refresh() {
      const sent = cookie
      state.log.push(`refresh ${sent}`)
      const wins = sent !== state.racing && state.refuses === 'no one'
      if (wins) {
        state.racing = sent
        state.good = newCookie()
      }
      const { good } = state
      await tools.pause(wins ? state.refreshMs : 10)
      if (!wins) return reply(sent === state.racing ? 409 : 401)
      if (cookie === sent) cookie = good
      return reply(200)
    },
    async signIn() {
      state.log.push('sign in')
      await tools.pause(100)
      if (state.refuses !== 'all') state.good = cookie = newCookie()
    },
    async signOut() {
      state.log.push('sign out')
    },
  }
  const once = async ({ credential }: RequestSpec) => {
    const { cookie: sent } = credential as { cookie: string } // as: the jar's credential
    state.log.push(`read ${sent}`)
    await tools.pause(50)
    if (state.refuses === 'access') return reply(403)
    return reply(sent === state.good ? 200 : 401)
  }
  const openTab = (refreshAfterMs = DAY_MS) =>
    createRestClient({
      access: createSessionAccess({ jar, tools, refreshAfterMs }),
      once,
      patiently: createPatience(tools, createRateGate(tools)),
    })
  return {
    ...time,
    state,
    openTab,
    setCookie: (value: string) => {
      state.good = cookie = value
    },
  }
}

async function awaitOutcome(sent: Promise<Reply>): Promise<number | string> {
  return await sent.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof ClientStopped ? 'stopped' : String(error)),
  )
}

test('concurrent requests that get 401 wait for one refresh and are sent again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(400), { minLength: 1, maxLength: 20 }), async (startsMs) => {
      const { tools, openTab, run, state } = shop({ good: 'expired' })
      const tab = openTab()
      const outcomes: Promise<number | string>[] = []
      for (const ms of startsMs) tools.after(ms, () => void outcomes.push(awaitOutcome(tab.send(READ))))
      await run()
      expect(await Promise.all(outcomes)).toEqual(startsMs.map(() => 200))
      expect(state.log.filter((line) => line.startsWith('refresh'))).toEqual(['refresh c0'])
    }),
  )
})

test('after a 409, it waits for the cookies of the winner and sends the original request again', async () => {
  const { tools, openTab, run, state, setCookie } = shop({ good: 'expired', racing: 'c0' })
  const outcome = awaitOutcome(openTab().send(READ))
  tools.after(2000, () => setCookie('winner'))
  await run()
  expect(await outcome).toBe(200)
  expect(state.log).toEqual(['read c0', 'refresh c0', 'read winner'])
})

test('without a winner, it sends the request anyway, and only then signs in again', async () => {
  const { openTab, run, state } = shop({ good: 'expired', racing: 'c0' })
  const outcome = awaitOutcome(openTab().send(READ))
  await run()
  expect(await outcome).toBe(200)
  expect(state.log).toEqual(['read c0', 'refresh c0', 'read c0', 'sign in', 'read c1'])
})

test('of two tabs that share cookies, each refreshes, and the loser continues with the cookies of the winner', async () => {
  const { openTab, run, state } = shop({ good: 'expired' })
  const outcomes = [openTab(), openTab()].map((tab) => awaitOutcome(tab.send(READ)))
  await run()
  expect(await Promise.all(outcomes)).toEqual([200, 200])
  expect(state.log).toEqual(['read c0', 'read c0', 'refresh c0', 'refresh c0', 'read c1', 'read c1'])
})

test.each<[Shop['refuses'], number | string, string[]]>([
  ['refreshes', 200, ['read c0', 'refresh c0', 'sign in', 'read c1']],
  ['all', 'stopped', ['read c0', 'refresh c0', 'sign in', 'read c0']],
  ['access', 'stopped', ['read c0']],
])('if the exchange rejects %s: %s', async (refuses, expected, log) => {
  const { openTab, run, state } = shop({ good: 'expired', refuses })
  const tab = openTab()
  const outcome = awaitOutcome(tab.send(READ))
  await run()
  expect(await outcome).toBe(expected)
  expect(state.log).toEqual(log)
  if (expected === 'stopped') expect(await awaitOutcome(tab.send(READ))).toBe('stopped')
  expect(state.log).toEqual(log)
})

test('a session is refreshed once before its expiry, at most a tenth early', async () => {
  const { openTab, run, state, tools } = shop()
  const tab = openTab(10_000)
  tools.after(8999, () => void awaitOutcome(tab.send(READ)))
  tools.after(10_000, () => void awaitOutcome(tab.send(READ)))
  tools.after(10_001, () => void awaitOutcome(tab.send(READ)))
  await run()
  expect(state.log).toEqual(['read c0', 'refresh c0', 'read c1', 'read c1'])
})

test('a rejected API token cannot be replaced, so it stops its client', async () => {
  const { tools } = testTools()
  const requested: (Credential | undefined)[] = []
  const client = createRestClient({
    access: fixedAccess({ bearer: 'ss_token' }),
    patiently: createPatience(tools),
    once: async ({ credential }) => {
      requested.push(credential)
      return reply(401)
    },
  })
  expect(await awaitOutcome(client.send(READ))).toBe('stopped')
  expect(await awaitOutcome(client.send(READ))).toBe('stopped')
  expect(requested).toEqual([{ bearer: 'ss_token' }])
})

test('leaving first closes what is open', async () => {
  const { openTab, state } = shop()
  const tab = openTab()
  tab.beforeLeaving(async () => void state.log.push('close'))
  await tab.leave()
  expect(state.log).toEqual(['close', 'sign out'])
})
