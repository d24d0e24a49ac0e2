import { expect, test } from 'vitest'
import { createClock } from '../clock.ts'
import { createFindings, FINDINGS_MAX, judgeDuty } from './findings.ts'

function setUp() {
  const clock = createClock({ startMs: 0 })
  const findings = createFindings({ clock, rules: ['client.429.waits', 'client.403.stops'] })
  const add = (client: string) =>
    findings.add({ rule: 'client.429.waits', client, observed: 'seen', advice: 'do', evidence: () => [] })
  return { clock, ...findings, add }
}

test('numbers findings, with their time', () => {
  const { clock, add, read } = setUp()
  add('a')
  clock.advance(5)
  add('b')
  expect(read({ after: 1, limit: 10 })).toMatchObject({
    findings: [{ number: 2, atMs: 5, rule: 'client.429.waits', client: 'b' }],
    last: 2,
  })
})

test('reports the same client and rule once in ten seconds', () => {
  const { clock, add } = setUp()
  expect([add('a'), add('a'), add('b')]).toEqual([true, false, true])
  clock.advance(9999)
  expect(add('a')).toBe(false)
  clock.advance(1)
  expect(add('a')).toBe(true)
})

test('reports it again after the clock moved back', () => {
  const { clock, add } = setUp()
  clock.advance(60_000)
  add('a')
  clock.restoreTo(0)
  expect(add('a')).toBe(true)
})

test('keeps only the newest', () => {
  const { add, read } = setUp()
  for (let count = 0; count < FINDINGS_MAX + 5; count++) add(`client ${count}`)
  const { findings, last } = read({ after: 0, limit: 1 })
  expect([findings[0]?.number, last]).toEqual([6, FINDINGS_MAX + 5])
})

test('counts situations, handled ones, and violations including repeated ones', () => {
  const { add, begin, handle, read } = setUp()
  add('a')
  add('a')
  begin('client.403.stops')
  begin('client.403.stops')
  handle('client.403.stops', 7)
  const { last, duties } = read({ after: 0, limit: 1 })
  expect([last, duties]).toEqual([
    1,
    {
      'client.429.waits': { situations: 0, handled: 0, violations: 2 },
      'client.403.stops': { situations: 2, handled: 1, violations: 0 },
    },
  ])
})

test.each([
  [{ situations: 0, handled: 0, violations: 0 }, 'not exercised'],
  [{ situations: 3, handled: 0, violations: 0 }, 'not exercised'],
  [{ situations: 3, handled: 1, violations: 0 }, 'pass'],
  [{ situations: 3, handled: 2, violations: 1 }, 'fail'],
])('%j is %s', (counts, verdict) => {
  expect(judgeDuty(counts)).toBe(verdict)
})
