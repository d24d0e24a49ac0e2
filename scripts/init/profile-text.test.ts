import { expect, test } from 'vitest'
import { parseJsonText } from '../../contract/parse-json-text.ts'
import { profileSchema } from '../../contract/profile.ts'
import { profileFields } from './profile-fields.ts'
import { profileText } from './profile-text.ts'

const LEAST = { name: 'mine', baseUrl: 'http://127.0.0.1:8080', wsUrl: 'ws://127.0.0.1:8081' }

/** With every value in force that stands in a comment. */
const uncommented = (text: string) => text.replaceAll(/^( *)\/\/ (?=")/gm, '$1')

test('is a profile as it stands, and one with the same values where all of it is in force', () => {
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

test('a field tells its type, the words that it may be, and what is taken where it is left out', () => {
  const found = (name: string) => profileFields().find(({ path }) => path.join('.') === name)
  expect(found('baseUrl')).toMatchObject({ type: 'address', default: undefined })
  expect(found('control')).toMatchObject({ type: 'address, or `null`', default: null })
  expect(found('credentials.apiTokens.env')?.default).toBe('BREAKWATER_API_TOKENS')
  expect(found('choices.expiry')).toMatchObject({
    words: ['rfc3339', 'epoch-seconds', 'epoch-millis'],
    default: 'rfc3339',
  })
})
