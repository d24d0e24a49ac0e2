import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRequester, keepSession } from './session.ts'
import { testTools } from './test-tools.ts'

class Denied extends Error {}

type Shop = {
  /** The valid cookie; a refresh replaces it. */
  good: string
  /** Refreshes with this cookie get 409, as if another tab were refreshing. */
  racing: string
  rejects: 'no one' | 'refreshes' | 'new cookies' | 'all' | 'access'
  /** Status of the first refreshes and sign-ins; 0: no response. */
  failing: number[]
  log: string[]
}

const REFRESH_MS = 100

/** An exchange with one wallet, and tabs that share its cookies. */
function shop(options: Partial<Shop> = {}) {
  const time = testTools()
  const { tools } = time
  const state: Shop = { good: 'c0', racing: '', rejects: 'no one', failing: [], log: [], ...options }
  let cookie = 'c0'
  let made = 0
  const newCookie = () => `c${++made}`
  const port = {
    version: () => cookie,
    isEmpty: () => cookie === '',
    async refresh() {
      const sent = cookie
      state.log.push(`refresh ${sent}`)
      const failure = state.failing.shift()
      if (failure !== undefined) return failure
      const wins = sent !== state.racing && ['no one', 'new cookies'].includes(state.rejects)
      if (wins) {
        state.racing = sent
        state.good = newCookie()
      }
      const { good } = state
      await tools.pause(wins ? REFRESH_MS : 10)
      if (!wins) return sent === state.racing ? 409 : 401
      if (cookie === sent) cookie = good
      if (state.rejects === 'new cookies') state.good = ''
      return 200
    },
    async signIn() {
      state.log.push('sign in')
      await tools.pause(100)
      if (state.failing.shift() !== undefined) throw new Error('no response')
      cookie = newCookie()
      if (state.rejects !== 'all') state.good = cookie
    },
  }
  const openTab = (refreshAfterMs?: number) => {
    const requester = createRequester<{ status: number }>({
      credential: keepSession({ port, tools, ...(refreshAfterMs !== undefined && { refreshAfterMs }) }),
      deny: ({ status }) => new Denied(String(status)),
      stopsAt: (error) => error instanceof Denied,
    })
    const read = () =>
      requester.send(async (begin) => {
        begin()
        const sent = cookie
        state.log.push(`read ${sent}`)
        await tools.pause(50)
        if (state.rejects === 'access') return { status: 403 }
        return { status: sent === state.good ? 200 : 401 }
      })
    return { ...requester, read: () => outcomeOf(read()) }
  }
  const setCookie = (value: string) => {
    state.good = cookie = value
  }
  return { ...time, state, openTab, setCookie }
}

async function outcomeOf(sent: Promise<{ status: number }>): Promise<number | string> {
  return await sent.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof Denied ? `denied ${error.message}` : String(error)),
  )
}

test('concurrent requests that get 401 wait for one refresh and are sent again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(400), { minLength: 1, maxLength: 20 }), async (startsMs) => {
      const { tools, openTab, run, state } = shop({ good: 'expired' })
      const tab = openTab()
      const outcomes: Promise<number | string>[] = []
      for (const ms of startsMs) tools.after(ms, () => void outcomes.push(tab.read()))
      await run()
      expect(await Promise.all(outcomes)).toEqual(startsMs.map(() => 200))
      expect(state.log.filter((line) => line.startsWith('refresh'))).toEqual(['refresh c0'])
    }),
  )
})

test('concurrent requests wait for one sign-in if the refresh is rejected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }), async (startsMs) => {
      const { tools, openTab, run, state } = shop({ good: 'expired', rejects: 'refreshes' })
      const tab = openTab()
      const outcomes: Promise<number | string>[] = []
      for (const ms of startsMs) tools.after(ms, () => void outcomes.push(tab.read()))
      await run()
      expect(await Promise.all(outcomes)).toEqual(startsMs.map(() => 200))
      expect(state.log.filter((line) => !line.startsWith('read'))).toEqual(['refresh c0', 'sign in'])
    }),
  )
})

test('after a 409, it waits for the cookies of the winner and sends the original request again', async () => {
  const { tools, openTab, run, state, setCookie } = shop({ good: 'expired', racing: 'c0' })
  const outcome = openTab().read()
  tools.after(4000, () => setCookie('winner'))
  await run()
  expect(await outcome).toBe(200)
  expect(state.log).toEqual(['read c0', 'refresh c0', 'read winner'])
})

test('of two tabs that share cookies, each refreshes, and the loser continues with the cookies of the winner', async () => {
  const { openTab, run, state } = shop({ good: 'expired' })
  const outcomes = [openTab(), openTab()].map((tab) => tab.read())
  await run()
  expect(await Promise.all(outcomes)).toEqual([200, 200])
  expect(state.log).toEqual(['read c0', 'read c0', 'refresh c0', 'refresh c0', 'read c1', 'read c1'])
})

test.each<[string, Partial<Shop>, number | string, string[]]>([
  ['without a winner, it signs in again', { racing: 'c0' }, 200, ['refresh c0', 'sign in', 'read c1']],
  [
    'so it does if the refresh is rejected',
    { rejects: 'refreshes' },
    200,
    ['refresh c0', 'sign in', 'read c1'],
  ],
  ['or gets no response', { failing: [0] }, 200, ['refresh c0', 'sign in', 'read c1']],
  [
    'or if its cookies are rejected',
    { rejects: 'new cookies' },
    200,
    ['refresh c0', 'read c1', 'sign in', 'read c2'],
  ],
  [
    'a client that no cookies help stops',
    { rejects: 'all' },
    'denied 401',
    ['refresh c0', 'sign in', 'read c1', 'sign in', 'read c2'],
  ],
  ['so does one without access', { rejects: 'access' }, 'denied 403', []],
])('%s', async (_, options, expected, log) => {
  const { openTab, run, state } = shop({ good: 'expired', ...options })
  const tab = openTab()
  const outcome = tab.read()
  await run()
  expect(await outcome).toBe(expected)
  expect(state.log).toEqual(['read c0', ...log])
  if (expected === 200) return
  expect(await tab.read()).toBe(expected)
  expect(state.log).toEqual(['read c0', ...log])
})

test('a failed sign-in ends one request, not the client', async () => {
  const { openTab, run } = shop({ good: 'expired', failing: [0, 0] })
  const tab = openTab()
  const first = tab.read()
  await run()
  expect(await first).toBe('Error: no response')
  const second = tab.read()
  await run()
  expect(await second).toBe(200)
})

test('a session is refreshed once before its expiry, at most a tenth early', async () => {
  const { openTab, run, state, tools } = shop()
  const tab = openTab(10_000)
  for (const ms of [8999, 10_000, 10_001]) tools.after(ms, () => void tab.read())
  await run()
  expect(state.log).toEqual(['read c0', 'refresh c0', 'read c1', 'read c1'])
})

test('an early refresh that fails is repeated after 30 seconds, and the session is used until then', async () => {
  const { openTab, run, state, tools } = shop({ failing: [503] })
  const tab = openTab(10_000)
  for (const ms of [10_000, 39_000, 41_000]) tools.after(ms, () => void tab.read())
  await run()
  expect(state.log).toEqual(['refresh c0', 'read c0', 'read c0', 'refresh c0', 'read c1'])
})

test('a stopped client sends nothing', async () => {
  const { openTab, state } = shop()
  const tab = openTab()
  await tab.stop(new Error('stopped'))
  expect(await tab.read()).toBe('Error: stopped')
  expect(state.log).toEqual([])
})

test('a client is stopped once nothing is in flight, and a 401 then leads to no other session', async () => {
  const { openTab, run, state, tools } = shop({ good: 'expired' })
  const tab = openTab()
  const outcome = tab.read()
  tools.after(20, () => void tab.stop(new Error('stopped')).then(() => state.log.push('stopped')))
  await run(49)
  expect(state.log).toEqual(['read c0'])
  await run()
  expect(await outcome).toBe('Error: stopped')
  expect(state.log).toEqual(['read c0', 'stopped'])
})
