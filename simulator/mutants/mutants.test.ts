import { expect, test } from 'vitest'
import { RULES, ruleById } from '../../contract/rules.ts'
import { MUTANTS, mutantByName } from './mutants.ts'

test('each mutant breaks rules that exist', () => {
  expect(MUTANTS.flatMap(({ rules }) => rules).filter((rule) => !ruleById(rule))).toEqual([])
})

test('each rule is broken by a mutant, so that its probe is known to fail', () => {
  const broken = new Set<string>(MUTANTS.flatMap(({ rules }) => rules))
  expect(RULES.filter(({ id }) => !broken.has(id))).toEqual([])
})

test('finds a mutant by its name', () => {
  expect(mutantByName('ws-33-rooms')?.rules).toEqual(['ws.rooms.at-most-32'])
  expect(mutantByName('nothing')).toBeUndefined()
})
