import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs, createRateGate, retryAfterMs, retryWaitMs } from './retry-wait.ts'
import { testTools } from './test-tools.ts'

const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0)

test.each([
  { name: 'seconds', retryAfter: '3', date: undefined, expected: 3000 },
  { name: 'a date', retryAfter: 'Thu, 01 Jan 2026 12:00:05 GMT', date: undefined, expected: 5000 },
  {
    name: "a date on the server's own clock",
    retryAfter: 'Thu, 01 Jan 2026 13:00:05 GMT',
    date: 'Thu, 01 Jan 2026 13:00:00 GMT',
    expected: 5000,
  },
  { name: 'a past date', retryAfter: 'Thu, 01 Jan 2026 11:00:00 GMT', date: undefined, expected: 0 },
  { name: 'nonsense', retryAfter: 'soon', date: undefined, expected: undefined },
  { name: 'nothing', retryAfter: undefined, date: undefined, expected: undefined },
])('reads $name', ({ retryAfter, date, expected }) => {
  expect(retryAfterMs({ retryAfter, date, nowMs })).toBe(expected)
})

test('backs off up to a ceiling that doubles up to a cap', () => {
  const ceilings = [0, 1, 2, 3, 4, 5, 6].map((attempt) => backoffMs({ attempt, random: () => 1 }))
  expect(ceilings).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000])
  expect(backoffMs({ attempt: 3, random: () => 0.25 })).toBe(500)
})

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('full jitter: between 0 and the ceiling', () => {
  fc.assert(
    fc.property(fc.nat(100), fraction, (attempt, drawn) => {
      const waitMs = backoffMs({ attempt, random: () => drawn, baseMs: 1000, capMs: 30_000 })
      expect(waitMs).toBe(Math.min(30_000, 1000 * 2 ** attempt) * drawn)
    }),
  )
})

test('never retries before Retry-After is over', () => {
  fc.assert(
    fc.property(
      fc.option(fc.nat(60_000), { nil: undefined }),
      fc.nat(10),
      fraction,
      (serverWaitMs, attempt, drawn) => {
        const waitMs = retryWaitMs({ serverWaitMs, attempt, random: () => drawn })
        expect(waitMs).toBeGreaterThanOrEqual(serverWaitMs ?? 0)
        expect(waitMs).toBeLessThanOrEqual((serverWaitMs ?? 0) + 8000)
      },
    ),
  )
})

test.each(['-1', '1.5', '+3', '', '2026-01-01T12:00:05Z', '2026-01-01'])(
  'a Retry-After of %j is neither seconds nor a date of HTTP',
  (retryAfter) => {
    expect(retryAfterMs({ retryAfter, date: undefined, nowMs: 0 })).toBeUndefined()
  },
)

test('blocks callers until the longest wait is over, then spreads them', async () => {
  const { tools, nowMs, run } = testTools()
  const gate = createRateGate(tools)
  gate.shut(3000)
  gate.shut(1000)
  const passed: number[] = []
  for (let count = 0; count < 5; count++) void gate.pass(tools.pause).then(() => passed.push(nowMs()))
  expect(gate.isShut()).toBe(true)
  await run()
  expect(gate.isShut()).toBe(false)
  expect(Math.min(...passed)).toBeGreaterThanOrEqual(3000)
  expect(Math.max(...passed)).toBeLessThan(3250)
  expect(new Set(passed).size).toBe(5)
})

test('rejects an excessive wait', async () => {
  const { tools } = testTools()
  const gate = createRateGate(tools)
  gate.shut(41_000)
  await expect(gate.pass(tools.pause)).rejects.toThrow(new Error('rate limited for another 41 s'))
})
