import { expect, test } from 'vitest'
import { parseJsonFile } from './parse-json-file.ts'
import { profileSchema } from './profile.ts'

const least = {
  name: 'staging',
  baseUrl: 'https://exchange.example/api',
  wsUrl: 'wss://feed.exchange.example',
}

test('a profile needs a name and two addresses; every choice has a default', () => {
  const profile = profileSchema.parse(least)
  expect(profile.control).toBeNull()
  expect(profile.allow).toEqual({ load: false, mutations: false })
  expect(profile.choices.verify.csrfToken).toBe('data.csrf_token')
  expect(profile.choices.explorePools.sort.created).toEqual({
    field: 'createdAt',
    compare: 'time',
    stable: true,
  })
})

test('a choice may be left untold', () => {
  const profile = profileSchema.parse({ ...least, choices: { route: { hops: null }, rateLimit: null } })
  expect(profile.choices.route.hops).toBeNull()
  expect(profile.choices.route.protocolRevision).toBe('data.protocol_revision')
})

test('tells every problem at once, each with its path', () => {
  const text = JSON.stringify({
    baseUrl: 'ftp://exchange.example',
    wsUrl: 'https://exchange.example',
    choices: { cookie: {}, expiry: 'rfc1123', route: { hop: { pools: 'pool' } } },
    allow: { load: 'yes' },
    extra: 1,
  })
  expect(() =>
    parseJsonFile({ file: 'staging.json', text, schema: profileSchema, what: 'target profile' }),
  ).toThrow(
    [
      'staging.json: not a valid target profile:',
      '  name: Invalid input: expected string, received undefined',
      '  baseUrl: expected an http:// or https:// address',
      '  wsUrl: expected a ws:// or wss:// address',
      '  choices.expiry: Invalid option: expected one of "rfc3339"|"epoch-seconds"|"epoch-millis"',
      '  choices.route.hop.pools: unknown key; check its spelling',
      '  choices.cookie: unknown key; check its spelling',
      '  allow.load: Invalid input: expected boolean, received string',
      '  extra: unknown key; check its spelling',
    ].join('\n'),
  )
})

test('tells what is no JSON', () => {
  expect(() =>
    parseJsonFile({ file: 'a.json', text: '{', schema: profileSchema, what: 'target profile' }),
  ).toThrow(/^a\.json: not JSON: /)
})
