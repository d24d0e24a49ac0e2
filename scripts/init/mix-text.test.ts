import { expect, test } from 'vitest'
import { mixSchema } from '../../contract/mix.ts'
import { parseJsonText } from '../../contract/parse-json-text.ts'
import { mixText } from './mix-text.ts'

test('is a mix that takes no credential', () => {
  const { name, clients } = mixSchema.parse(parseJsonText(mixText('mine')))
  expect(name).toBe('mine')
  expect(clients.map(({ name, credential }) => [name, credential])).toEqual([
    ['visitors', 'none'],
    ['crawlers', 'none'],
  ])
})

test('with the clients in force that stand in comments, it is one as well', () => {
  const text = mixText('mine').replaceAll(/^ {4}\/\/ (?=[{}]| )/gm, '    ')
  const { clients } = mixSchema.parse(parseJsonText(text))
  expect(clients.map(({ credential }) => credential)).toEqual(['none', 'none', 'api-token', 'session'])
})
