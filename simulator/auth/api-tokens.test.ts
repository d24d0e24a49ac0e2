import { beforeEach, expect, it } from 'vitest'
import { defaultChoices } from '../choices/default-choices.ts'
import { type Clock, createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { type ApiTokens, createApiTokens } from './api-tokens.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let clock: Clock
let tokens: ApiTokens

beforeEach(() => {
  clock = createClock({ startMs: 0 })
  tokens = createApiTokens({ clock, stream: createRandom(5).stream('auth'), choices: defaultChoices })
})

function create(expiresInDays: number | null = null) {
  const created = tokens.create({ address: 'bw1a', name: 'bot', expiresInDays })
  if (!created) throw new Error('expected room for a token')
  return created
}

it('recognizes a token by its full secret only', () => {
  const { info, secret } = create()
  expect(secret).toMatch(/^ss_[A-Za-z0-9_-]{43}$/)
  expect(info.prefix).toBe(secret.slice(0, 11))
  expect(tokens.bySecret(secret)).toBe(info)
  for (const wrong of ['', 'ss_', info.prefix, secret.slice(0, -1), `${secret}x`, secret.toUpperCase()]) {
    expect(tokens.bySecret(wrong)).toBeUndefined()
  }
})

it('stores no secret', () => {
  const { info, secret } = create()
  expect(JSON.stringify(info)).not.toContain(secret.slice(11))
})

it('lets a token expire after its days', () => {
  const { info, secret } = create(2)
  clock.advance(2 * DAY_MS - 1)
  expect(tokens.bySecret(secret)).toBe(info)
  clock.advance(1)
  expect(tokens.bySecret(secret)).toBeUndefined()
  expect(tokens.list('bw1a')).toEqual([])
})

it('revokes a token of its owner, once', () => {
  const { info, secret } = create()
  expect(tokens.revoke({ address: 'bw1b', id: info.id })).toBe(false)
  expect(tokens.bySecret(secret)).toBe(info)
  expect(tokens.revoke({ address: 'bw1a', id: info.id })).toBe(true)
  expect(tokens.bySecret(secret)).toBeUndefined()
  expect(tokens.revoke({ address: 'bw1a', id: info.id })).toBe(false)
})

it('limits the tokens of a wallet; an expired or revoked one makes room', () => {
  const expiring = create(1)
  const others = Array.from({ length: defaultChoices.profile.apiTokens.maxPerWallet - 1 }, () => create())
  const isFull = () => tokens.create({ address: 'bw1a', name: 'more', expiresInDays: null }) === undefined
  expect(isFull()).toBe(true)
  clock.advance(DAY_MS)
  expect(tokens.byId(expiring.info.id)).toBeUndefined()
  expect(isFull()).toBe(false)
  expect(isFull()).toBe(true)
  tokens.revoke({ address: 'bw1a', id: others[0]?.info.id ?? '' })
  expect(isFull()).toBe(false)
})

it('removes expired tokens', () => {
  for (let count = 0; count < 1000; count++) {
    create(1)
    clock.advance(DAY_MS / 10)
  }
  expect(tokens.size()).toBe(10)
})
