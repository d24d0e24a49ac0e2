import { expect, test } from 'vitest'
import { CLIENT_RULES, UNOBSERVABLE_DUTIES } from './client-rules.ts'
import { RULES, ruleById } from './rules.ts'
import { UNOBSERVABLE } from './unobservable.ts'

test('every id is of its own, and says group, subject and detail', () => {
  const ids = RULES.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z0-9-]+(\.[a-z0-9-]+){2}$/.test(id))).toEqual([])
})

test('every rule has a section, an expectation and a description of its probe', () => {
  const empty = RULES.filter((rule) => !rule.section || !rule.statement || !rule.expected || !rule.how)
  expect(empty).toEqual([])
})

test('finds a rule by its id', () => {
  expect(ruleById('ws.rooms.at-most-32')?.group).toBe('ws')
  expect(ruleById('ws.rooms')).toBeUndefined()
})

test('what binds clients has ids of its own, and is not for probes', () => {
  const ids = [...CLIENT_RULES, ...UNOBSERVABLE_DUTIES].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^client(\.[a-z0-9-]+){2}$/.test(id) || ruleById(id))).toEqual([])
})

test('every rule of clients says what is expected and how it is seen, and every other duty why it cannot be', () => {
  const empty = CLIENT_RULES.filter((rule) => !rule.section || !rule.statement || !rule.expected || !rule.how)
  expect(empty).toEqual([])
  expect(UNOBSERVABLE_DUTIES.filter((duty) => !duty.section || !duty.statement || !duty.reason)).toEqual([])
})

test('each unobservable sentence has a reason, and appears once', () => {
  expect(UNOBSERVABLE.filter(({ section, sentence, reason }) => !section || !sentence || !reason)).toEqual([])
  expect(new Set(UNOBSERVABLE.map(({ sentence }) => sentence)).size).toBe(UNOBSERVABLE.length)
})
