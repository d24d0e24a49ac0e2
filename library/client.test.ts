import { expect, test } from 'vitest'
import { BreakwaterError, createClient } from './client.ts'
import { startStub } from './stub.ts'

/** Valid options, changed as a caller without types may do. */
async function clientOf(change: (valid: { profile: object; as: object }) => unknown) {
  await using stub = await startStub({ clock: 'manual' })
  const [apiToken = ''] = stub.apiTokens
  const given = change({ profile: stub.profile, as: { apiToken } })
  return createClient(given as Parameters<typeof createClient>[0]) // as: bad options on purpose
}

test.each([
  [() => undefined, '(top level): expected an object'],
  [({ profile }) => ({ profile }), 'as: missing; expected { wallet } or { apiToken }'],
  [({ profile }) => ({ profile, as: {} }), 'as: expected { wallet } or { apiToken }'],
  [({ profile }) => ({ profile, as: { wallet: {} } }), 'as.wallet.address: missing; expected a string'],
  [
    ({ profile }) => ({ profile, as: { apiToken: 'x\ny' } }),
    'as.apiToken: expected printable ASCII without spaces',
  ],
  [({ as }) => ({ profile: 'stub.json', as }), 'profile: expected an object, found a string'],
  [
    ({ profile, as }) => ({ profile: { ...profile, baseUrl: 'nope' }, as }),
    'profile.baseUrl: expected an http:// or https:// address',
  ],
  [({ profile, as }) => ({ profile, as, fetc: 5 }), 'fetc: unknown key; did you mean fetch, '],
] as [Parameters<typeof clientOf>[0], string][])(
  'createClient rejects bad options (%#)',
  async (change, message) => {
    const created = clientOf(change)
    await expect(created).rejects.toThrow(BreakwaterError)
    await expect(created).rejects.toThrow(`createClient: not a valid set of options:\n  ${message}`)
  },
)

test('a call with bad arguments is an error at once, without a request', async () => {
  const client = await clientOf((valid) => ({ ...valid, fetch: () => expect.unreachable() }))
  const none = undefined as never // as: what a caller without types may pass
  await expect(client.exchange.list(none)).rejects.toThrow(
    'list: not a valid set of arguments:\n  path: missing; expected a string',
  )
  await expect(client.exchange.get('pools')).rejects.toThrow('path: expected a path that starts with /')
  await expect(client.exchange.quote(none)).rejects.toThrow('quote: not a valid set of arguments')
  await expect(client.quotes.fetch(none)).rejects.toThrow('fetch: not a valid set of arguments')
  expect(() => client.follow(none)).toThrow('follow: not a valid set of arguments:\n  rooms: missing; ')
})
