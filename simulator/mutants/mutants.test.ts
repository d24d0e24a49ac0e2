import { expect, test } from 'vitest'
import { ruleById } from '../../contract/rules.ts'
import { MUTANTS, mutantByName } from './mutants.ts'

test('each mutant breaks rules that exist', () => {
  expect(MUTANTS.flatMap(({ rules }) => rules).filter((rule) => !ruleById(rule))).toEqual([])
})

test('finds a mutant by its name', () => {
  expect(mutantByName('ws-33-rooms')?.rules).toEqual(['ws.rooms.at-most-32'])
  expect(mutantByName('nothing')).toBeUndefined()
})
