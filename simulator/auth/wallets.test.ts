import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { walletsSchema } from '../../contract/profile.ts'
import { createRandom } from '../random.ts'
import { demoWallets } from './wallets.ts'

it('gives the same wallets for the same seed, different ones for another', () => {
  const wallets = demoWallets({ random: createRandom(7), count: 3 })
  expect(demoWallets({ random: createRandom(7), count: 3 })).toEqual(wallets)
  expect(demoWallets({ random: createRandom(8), count: 3 })).not.toEqual(wallets)
})

it('generates matching P-256 key pairs', () => {
  const message = Buffer.from('exact bytes')
  for (const { privateKeyJwk, publicKeyJwk } of demoWallets({ random: createRandom(7), count: 5 })) {
    const signature = sign('sha256', message, createPrivateKey({ key: privateKeyJwk, format: 'jwk' }))
    const publicKey = createPublicKey({ key: publicKeyJwk, format: 'jwk' })
    expect(verify('sha256', message, publicKey, signature)).toBe(true)
    expect(publicKeyJwk).not.toHaveProperty('d')
  }
})

it('makes the first the administrator and gives all except the last access', () => {
  const wallets = demoWallets({ random: createRandom(7), count: 3 })
  expect(wallets.map(({ admin, hasAccess }) => ({ admin, hasAccess }))).toEqual([
    { admin: true, hasAccess: true },
    { admin: false, hasAccess: true },
    { admin: false, hasAccess: false },
  ])
})

it('writes addresses as bw1 and 58 bech32 characters, all distinct', () => {
  const addresses = demoWallets({ random: createRandom(7), count: 50 }).map(({ address }) => address)
  for (const address of addresses) expect(address).toMatch(/^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$/)
  expect(new Set(addresses).size).toBe(50)
})

it('fits the wallets file of the target profile', () => {
  const wallets = demoWallets({ random: createRandom(7), count: 2 })
  const file = wallets.map(({ publicKeyJwk: _, ...wallet }) => wallet)
  expect(walletsSchema.parse(file)).toEqual(file)
})

it('refuses fewer than two', () => {
  expect(() => demoWallets({ random: createRandom(7), count: 1 })).toThrow(RangeError)
})
