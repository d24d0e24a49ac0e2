import { expect, test } from 'vitest'
import { findWaiver, waiversSchema } from './finding.ts'

const waiver = (rule: string, until: string) => ({ rule, until, reason: 'known' })
const WAIVERS = [waiver('ws.rooms.at-most-32', '2026-11-30'), waiver('ws.*.*', '2026-11-15')]

test.each([
  { rule: 'ws.rooms.at-most-32', day: '2026-11-30', until: '2026-11-30' },
  { rule: 'ws.rooms.at-most-32', day: '2026-11-01', until: '2026-11-30' },
  { rule: 'ws.rooms.at-most-32', day: '2026-12-01', until: undefined },
  { rule: 'ws.frame.2000-accepted', day: '2026-11-15', until: '2026-11-15' },
  { rule: 'ws.frame.2000-accepted', day: '2026-11-16', until: undefined },
  { rule: 'auth.csrf.required', day: '2026-11-01', until: undefined },
])('$rule on $day is waived until $until', ({ rule, day, until }) => {
  expect(findWaiver(rule, WAIVERS, day)?.until).toBe(until)
  expect(findWaiver(rule, [...WAIVERS].reverse(), day)?.until).toBe(until)
})

test.each([
  [{ rule: 'a.b.c', until: '2026-11-30' }, 'reason'],
  [{ rule: 'a.b.c', reason: ' ', until: '2026-11-30' }, 'reason'],
  [{ rule: 'a.b.c', reason: 'known' }, 'until'],
  [{ rule: 'a.b.c', reason: 'known', until: 'soon' }, 'until'],
  [{ rule: 'a.b.c', reason: 'known', until: '2026-02-30' }, 'until'],
  [{ rule: '', reason: 'known', until: '2026-11-30' }, 'rule'],
])('%j is not a waiver: %s', (bad, name) => {
  const issues = waiversSchema.safeParse([bad]).error?.issues ?? []
  expect(issues.map(({ path }) => path)).toEqual([[0, name]])
})
