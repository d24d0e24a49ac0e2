import { expect, test } from 'vitest'
import { choicesSchema, type Profile } from '../contract/profile.ts'
import { listUnavailable } from './unavailable.ts'

const ADDRESS = 'bw1administrator'

function unavailable(choices: object): string[] {
  const profile = { choices: choicesSchema.parse(choices) } as Profile // as: the only part used
  const administrator = { address: ADDRESS, hasAccess: true, admin: true }
  return [...listUnavailable({ profile, administrator }).keys()]
}

const CHANGES = [
  'refresh',
  'log-out',
  'log-out-all',
  'revoke-session',
  'create-token',
  'revoke-token',
  'mint',
]

test('without the CSRF token, a session changes nothing', () => {
  expect(unavailable({})).toEqual([])
  expect(unavailable({ verify: { csrfToken: null } })).toEqual([...CHANGES, 'claim'])
})

test('claims at a public faucet need no CSRF token', () => {
  expect(unavailable({ verify: { csrfToken: null }, faucet: { access: 'public' } })).toEqual(CHANGES)
})
