import { expect, test } from 'vitest'
import { choicesSchema, type Profile } from '../contract/profile.ts'
import { createWaits, listUnavailable } from './target.ts'

function open() {
  let end = () => {}
  const work = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work, end }
}

test('counts the seconds of each reason, the current waits too, and waits at the same time once', async () => {
  let ms = 0
  const waits = createWaits(() => ms)
  const [first, second, other] = [open(), open(), open()]
  const both = [waits.during('swaps', first.work), waits.during('swaps', second.work)]
  const sockets = waits.during('sockets', other.work)
  ms = 999
  expect(waits.text()).toBe('')
  ms = 3000
  first.end()
  other.end()
  await Promise.all([both[0], sockets])
  ms = 5000
  expect(waits.text()).toBe('5 s for swaps, 3 s for sockets')
  second.end()
  await both[1]
  ms = 9000
  expect(waits.text()).toBe('5 s for swaps, 3 s for sockets')
})

test('a failed wait counts, and fails', async () => {
  let ms = 0
  const waits = createWaits(() => ms)
  const wait = waits.during(
    'the rate limit',
    Promise.resolve().then(() => {
      ms = 2000
      throw new Error('gone')
    }),
  )
  await expect(wait).rejects.toThrow('gone')
  expect(waits.text()).toBe('2 s for the rate limit')
})

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
