import { expect, test } from 'vitest'
import { parseJsonText } from '../../contract/parse-json-text.ts'
import { kindOf, sloSchema } from '../../contract/slo.ts'
import { sloText } from './slo-text.ts'

test('is a file of objectives', () => {
  const { name, objectives } = sloSchema.parse(parseJsonText(sloText('mine')))
  expect(name).toBe('mine')
  expect(objectives.map(kindOf)).toEqual(['latency', 'latency', 'errors', 'refused', 'dropped'])
})

test('with the objectives in force that stand in comments, it has one of each kind', () => {
  const text = sloText('mine').replaceAll(/^ {4}\/\/ (?=\{)/gm, '    ')
  const { objectives } = sloSchema.parse(parseJsonText(text))
  expect(objectives.map(kindOf).slice(5)).toEqual(['latency', 'feed-delay', 'synchronize'])
})
