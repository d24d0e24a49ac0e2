import { expect, test } from 'vitest'
import { parseJsonFile } from './json-file.ts'
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

test('reports every problem at once, each with its path', () => {
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
      '  choices.expiry: unknown name "rfc1123"; expected rfc3339, epoch-seconds or epoch-millis',
      '  choices.route.hop.pools: unknown key; expected pool, tokenIn or tokenOut',
      '  choices.cookie: unknown key; did you mean cookies, route or tokens?',
      '  allow.load: expected true or false, found a string',
      '  extra: unknown key; did you mean ca, wsUrl or allow?',
    ].join('\n'),
  )
})

test('headers, and the origin, are such as can be sent', () => {
  const headers = { 'X-Trace': 'a\tb ~', 'X Y': 'v', 'X-Line': 'a\r\nb', 'X-Euro': '€' }
  expect(catchMessage({ ...least, headers, origin: 'https://a\n' })).toBe(
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
  'http://exchange.example:8082',
  'https://127.0.0.1.example',
  'http://[::ffff:7f00:1]:8082',
  'http://127.0.0.1\t.exchange.example',
])('the control API is on this machine, and not at %s', (control) => {
  expect(catchMessage({ ...least, control })).toBe(
    'staging.json: not a valid target profile:\n  control: expected an address of this machine, such as http://127.0.0.1:8082',
  )
})

test.each(['http://localhost:8082/control/', 'http://[::1]', 'https://127.1.2.3'])(
  'it may be at %s',
  (control) => {
    expect(catchMessage({ ...least, control })).toBe('')
  },
)

const LOGIN = [
  'http://me:secret@exchange.example',
  'http:me@exchange.example',
  'ht\ttp:/\n/\\:secret@exchange.example/',
]

test.each(
  LOGIN.flatMap((address) =>
    ['baseUrl', 'wsUrl', 'control', 'metrics', 'credentials.signer'].map((field) => ({ field, address })),
  ),
)('$field has no name and password: $address', ({ field, address }) => {
  const there = field === 'wsUrl' ? address.replace(/^ht\t?tp/, 'ws') : address
  const profile = field === 'credentials.signer' ? { credentials: { signer: there } } : { [field]: there }
  const failure = catchMessage({ ...least, ...profile })
  expect(failure).toContain(
    `  ${field}: holds a name or password, which may not be in an address; send it in \`headers\`, from the environment: BREAKWATER_HEADERS`,
  )
  expect(failure).not.toContain('secret')
})

test('paths are appended to the addresses of REST and feed, which have no query; others may', () => {
  const asks = {
    baseUrl: 'http://h?a=b',
    wsUrl: 'ws://h#a',
    metrics: 'http://h/m?a=b@c',
    credentials: { signer: 'http://h/@?a:b' },
  }
  expect(catchMessage({ ...least, ...asks })).toBe(
    [
      'staging.json: not a valid target profile:',
      '  baseUrl: expected no query or fragment: paths are appended to the address',
      '  wsUrl: expected no query or fragment: paths are appended to the address',
    ].join('\n'),
  )
})

test.each(['AWS_SECRET_ACCESS_KEY', 'API_TOKENS_', 'api_tokens', '', 'A=API_TOKENS'])(
  'API tokens are in variables meant for them, and not in %j',
  (env) => {
    expect(catchMessage({ ...least, credentials: { apiTokens: { env } } })).toBe(
      'staging.json: not a valid target profile:\n  credentials.apiTokens.env: expected the name of an environment variable that ends in API_TOKENS',
    )
    const credentials = { apiTokens: { env: 'STAGING_API_TOKENS' } }
    expect(catchMessage({ ...least, credentials })).toBe('')
  },
)

test.each([
  {
    what: 'a required address',
    profile: { ...least, baseUrl: undefined },
    message: 'baseUrl: missing; expected an http',
  },
  {
    what: 'one of several words',
    profile: { ...least, choices: { explorePools: { sort: { a: { field: 'a', stable: true } } } } },
    message: 'choices.explorePools.sort.a.compare: missing; expected number, text or time',
  },
  {
    what: 'a field of an object',
    profile: { ...least, choices: { rateLimit: { burst: 1, perSecond: 1.5 } } },
    message: 'choices.rateLimit.per: missing; expected credential or address',
  },
])('says that $what is missing, and what was expected', ({ profile, message }) => {
  expect(catchMessage(profile)).toContain(`\n  ${message}`)
})

test.each([
  ['', /^a\.json: the file is empty$/],
  [' \n', /^a\.json: the file is empty$/],
  ['{', /^a\.json: not JSON: /],
])('reports that %j is not JSON', (text, message) => {
  expect(() =>
    parseJsonFile({ file: 'a.json', text, schema: profileSchema, what: 'target profile' }),
  ).toThrow(message)
})

function catchMessage(profile: unknown): string {
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
