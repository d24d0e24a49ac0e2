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
      '  name: missing; expected a string',
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

test('headers, and the origin, are such as can be sent', () => {
  const headers = { 'X-Trace': 'a\tb ~', 'X Y': 'v', 'X-Line': 'a\r\nb', 'X-Euro': '€' }
  expect(failureOf({ ...least, headers, origin: 'https://a\n' })).toBe(
    [
      'staging.json: not a valid target profile:',
      '  headers["X Y"]: not a header name; expected letters, digits and hyphens',
      '  headers["X-Line"]: not a header value; expected printable ASCII, without control characters',
      '  headers["X-Euro"]: not a header value; expected printable ASCII, without control characters',
      '  origin: not a header value; expected printable ASCII, without control characters',
    ].join('\n'),
  )
})

test.each([
  {
    what: 'a required address',
    profile: { ...least, baseUrl: undefined },
    told: 'baseUrl: missing; expected an http',
  },
  {
    what: 'one of several words',
    profile: { ...least, choices: { explorePools: { sort: { a: { field: 'a', stable: true } } } } },
    told: 'choices.explorePools.sort.a.compare: missing; expected one of "number"|"text"|"time"',
  },
  {
    what: 'a field of an object',
    profile: { ...least, choices: { rateLimit: { burst: 1, perSecond: 1.5 } } },
    told: 'choices.rateLimit.per: missing; expected one of "credential"|"address"',
  },
])('says that $what is missing, and what was expected', ({ profile, told }) => {
  expect(failureOf(profile)).toContain(`\n  ${told}`)
})

test.each([
  ['', /^a\.json: the file is empty$/],
  [' \n', /^a\.json: the file is empty$/],
  ['{', /^a\.json: not JSON: /],
])('tells that %j is no JSON', (text, told) => {
  expect(() =>
    parseJsonFile({ file: 'a.json', text, schema: profileSchema, what: 'target profile' }),
  ).toThrow(told)
})

function failureOf(profile: unknown): string {
  try {
    parseJsonFile({
      file: 'staging.json',
      text: JSON.stringify(profile),
      schema: profileSchema,
      what: 'target profile',
    })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
