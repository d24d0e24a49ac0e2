import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RIGHT_CONDUCT } from './conduct.ts'
import { retry } from './retry-wait.ts'
import { createRequestWithRetry, ExchangeError, type Request, readWaitMs, type Send } from './send.ts'
import { testTools } from './test-tools.ts'
import { createStoppableWaits } from './time-and-chance.ts'

const get = (path: string): Request => ({ method: 'GET', path })

test.each([{ 'retry-after': '3' }, {}])(
  'a route that is rate limited again and again delays others for seconds only, %j',
  async (headers) => {
    const longestMs: number[] = []
    for (let seed = 0; seed < 50; seed++) {
      const { tools, nowMs, run } = testTools({ seed })
      const send: Send = async ({ path }) => {
        return { status: path === '/limited' ? 429 : 200, headers: new Headers(headers), body: {} }
      }
      const requestWithRetry = createRequestWithRetry({ send, tools, conduct: RIGHT_CONDUCT })
      void requestWithRetry(() => get('/limited'))
      const waited: number[] = []
      for (let second = 0; second < 60; second++) {
        await run(second * 1000)
        const startMs = nowMs()
        void requestWithRetry(() => get('/auth/ws-ticket')).then(() => waited.push(nowMs() - startMs))
      }
      await run()
      expect(waited).toHaveLength(60)
      longestMs.push(Math.max(...waited))
    }
    // A renewal has 20 s.
    expect(Math.max(...longestMs)).toBeLessThan(15_000)
  },
)

test('work that must finish is repeated within 15 s, however often it failed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const { tools, nowMs, run } = testTools({ seed })
      const atMs: number[] = []
      const work = () => {
        atMs.push(nowMs())
        if (atMs.length < 12) throw new Error('473')
      }
      const waits = createStoppableWaits(tools)
      void retry(work, { waits, random: tools.random, afterError: () => 0 })
      await run()
      expect(atMs).toHaveLength(12)
      expect(Math.max(...atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0)))).toBeLessThan(15_000)
    }),
  )
})

test('the error of a request that was given up has the wait of its last response', () => {
  const headers = new Headers({ 'retry-after': '20' })
  expect(readWaitMs(new ExchangeError({ status: 503, body: {}, headers }), 0)).toBe(20_000)
  expect(readWaitMs(new ExchangeError({ status: 503, body: {} }), 0)).toBeUndefined()
})
