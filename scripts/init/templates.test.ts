import { expect, test } from 'vitest'
import { parseJsonText } from '../../contract/json-file.ts'
import { mixSchema } from '../../contract/mix.ts'
import { profileSchema } from '../../contract/profile.ts'
import { getObjectiveKind, sloSchema } from '../../contract/slo.ts'
import { mixText, profileFields, profileText, sloText } from './templates.ts'

test('is a file of objectives', () => {
  const { name, objectives } = sloSchema.parse(parseJsonText(sloText('mine')))
  expect(name).toBe('mine')
  expect(objectives.map(getObjectiveKind)).toEqual([
    'latency',
    'latency',
    'errors',
    'rate-limited',
    'dropped',
  ])
})

test('with all commented objectives, it has one of each kind', () => {
  const text = sloText('mine').replaceAll(/^ {4}\/\/ (?=\{)/gm, '    ')
  const { objectives } = sloSchema.parse(parseJsonText(text))
  expect(objectives.map(getObjectiveKind).slice(5)).toEqual(['latency', 'feed-delay', 'synchronize'])
})

const LEAST = { name: 'mine', baseUrl: 'http://127.0.0.1:8080', wsUrl: 'ws://127.0.0.1:8081' }

const uncommented = (text: string) => text.replaceAll(/^( *)\/\/ (?=")/gm, '$1')

test('is a valid profile, and stays the same with all defaults uncommented', () => {
  const expected = profileSchema.parse(LEAST)
  const text = profileText('mine')
  expect(profileSchema.parse(parseJsonText(text))).toEqual(expected)
  const whole = parseJsonText(uncommented(text))
  expect(whole).toEqual(expected)
})

test('has every field, with its meaning', () => {
  const text = profileText('mine')
  for (const { path, meaning } of profileFields()) {
    expect(meaning, path.join('.')).not.toBe('')
    expect(text).toContain(`"${path.at(-1)}": `)
    expect(text).toContain(`// ${meaning}`)
  }
  expect(profileFields().length).toBeGreaterThan(50)
})

test('a field has its type, allowed words and default', () => {
  const found = (name: string) => profileFields().find(({ path }) => path.join('.') === name)
  expect(found('baseUrl')).toMatchObject({ type: 'address', default: undefined })
  expect(found('control')).toMatchObject({ type: 'address, or `null`', default: null })
  expect(found('credentials.apiTokens.env')?.default).toBe('BREAKWATER_API_TOKENS')
  expect(found('choices.expiry')).toMatchObject({
    words: ['rfc3339', 'epoch-seconds', 'epoch-millis'],
    default: 'rfc3339',
  })
})

test('is a mix without credentials', () => {
  const { name, clients } = mixSchema.parse(parseJsonText(mixText('mine')))
  expect(name).toBe('mine')
  expect(clients.map(({ name, credential }) => [name, credential])).toEqual([
    ['visitors', 'none'],
    ['crawlers', 'none'],
  ])
})

test('is also valid with the commented clients', () => {
  const text = mixText('mine').replaceAll(/^ {4}\/\/ (?=[{}]| )/gm, '    ')
  const { clients } = mixSchema.parse(parseJsonText(text))
  expect(clients.map(({ credential }) => credential)).toEqual(['none', 'none', 'api-token', 'session'])
})
