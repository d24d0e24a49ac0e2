import { beforeEach, expect, test } from 'vitest'
import { type Clock, createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { createReferrals, type Referrals } from './referrals.ts'

let clock: Clock
let referrals: Referrals

beforeEach(() => {
  clock = createClock({ startMs: 1000 })
  referrals = createReferrals({ clock, stream: createRandom(5).stream('referrals') })
})

const redeem = (address: string, code: string) => referrals.redeem({ address, code })
const attribute = (address: string, code: string) => referrals.attribute({ address, code })

test('issues readable codes of 60 bits', () => {
  const codes = Array.from({ length: 100 }, () => referrals.issue(null).code)
  for (const code of codes) expect(code).toMatch(/^BW(-[2-9A-HJ-NP-Z]{4}){3}$/)
  expect(new Set(codes).size).toBe(100)
  expect(referrals.list().map(({ code }) => code)).toEqual(codes)
})

test('a code is redeemed by one wallet; the same wallet may repeat', () => {
  const { code } = referrals.issue('bw1a')
  expect(referrals.findCode('bw1a')).toBe(code)
  clock.advance(5)
  expect([redeem('bw1b', code), redeem('bw1c', code), redeem('bw1b', code)]).toEqual([
    'done',
    'taken',
    'done',
  ])
  expect(referrals.list()).toEqual([
    { code, createdAtMs: 1000, issuedTo: 'bw1a', redemption: { by: 'bw1b', atMs: 1005 } },
  ])
})

test('a wallet redeems one code, never its own, and never an unknown one', () => {
  const [one, two, own] = [
    referrals.issue(null).code,
    referrals.issue(null).code,
    referrals.issue('bw1b').code,
  ]
  expect(redeem('bw1b', own)).toBe('own')
  for (const unknown of ['', 'BW-', one.toLowerCase(), `${one} `])
    expect(redeem('bw1b', unknown)).toBe('unknown')
  expect([redeem('bw1b', one), redeem('bw1b', two)]).toEqual(['done', 'second'])
  expect(referrals.list().filter(({ redemption }) => redemption)).toHaveLength(1)
})

test('attributes a wallet to a code once, without using the code up', () => {
  const [one, two, own] = [
    referrals.issue('bw1a').code,
    referrals.issue(null).code,
    referrals.issue('bw1b').code,
  ]
  expect([attribute('bw1b', own), attribute('bw1b', 'none')]).toEqual(['own', 'unknown'])
  expect(referrals.findAttribution('bw1b')).toBeUndefined()
  expect(attribute('bw1b', one)).toBe('done')
  clock.advance(5)
  expect([attribute('bw1b', one), attribute('bw1b', two)]).toEqual(['done', 'second'])
  expect(referrals.findAttribution('bw1b')).toEqual({ code: one, atMs: 1000 })
  expect([redeem('bw1c', one), redeem('bw1b', two)]).toEqual(['done', 'done'])
  expect([referrals.findAttribution('bw1b')?.code, referrals.findAttribution('bw1c')?.code]).toEqual([
    one,
    one,
  ])
})
