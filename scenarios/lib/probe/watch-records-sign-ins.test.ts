import { expect, test } from 'vitest'
import { createSignInWatch } from './watch-records.ts'

type Sent = [path: string, address: string, signature: string | undefined, status: number]

const challenge = (address = 'a'): Sent => ['/auth/challenge', address, undefined, 200]
const verify = (status: number, signature = 's', address = 'a'): Sent => [
  '/auth/verify',
  address,
  signature,
  status,
]

function countFound(...sent: Sent[]): number {
  const find = createSignInWatch()
  const found = sent.map(([path, address, signature, status]) =>
    find({ method: 'POST', path, body: { address, signature } }, { status }),
  )
  return found.filter((one) => one !== undefined).length
}

test('a signature that is accepted after a rejection is found the second time', () => {
  const once = [challenge(), verify(401), verify(200)]
  expect([countFound(...once), countFound(...once, ...once)]).toEqual([0, 1])
})

test.each<[what: string, ...sent: Sent[]]>([
  ['a signature that stays rejected', challenge(), verify(401), verify(401)],
  ['a new challenge', challenge(), verify(401), challenge(), verify(200)],
  ['another signature', challenge(), verify(401), verify(200, 'other')],
  ['another wallet', challenge(), verify(401), verify(200, 's', 'b')],
  ['a conflict', challenge(), verify(409), verify(200)],
  ['an error', challenge(), verify(503), verify(200)],
  ['a signature that is accepted first', challenge(), verify(200), verify(401)],
])('%s is not found', (_, ...sent) => {
  expect(countFound(...sent, ...sent)).toBe(0)
})

test('challenges of other wallets do not matter', () => {
  const once = [challenge(), verify(401), challenge('b'), verify(200)]
  expect(countFound(...once, ...once)).toBe(1)
})
