import { beforeEach, expect, it } from 'vitest'
import { defaultChoices } from '../choices/default-choices.ts'
import { type Clock, createClock } from '../clock.ts'
import { signMessage } from '../exchange/test-bed.ts'
import { createRandom } from '../random.ts'
import { type Challenges, createChallenges } from './challenges.ts'
import { type DemoWallet, demoWallets } from './wallets.ts'

let clock: Clock
let challenges: Challenges
let wallets: readonly DemoWallet[]
let wallet: DemoWallet
let other: DemoWallet

beforeEach(() => {
  const random = createRandom(3)
  clock = createClock({ startMs: Date.UTC(2025, 0, 1) })
  wallets = demoWallets({ random, count: 2 })
  ;[wallet, other] = wallets as [DemoWallet, DemoWallet] // as: two were requested
  challenges = createChallenges({
    clock,
    stream: random.stream('auth'),
    wallets,
    choices: defaultChoices,
  })
})

const redeem = (message: string) =>
  challenges.answer({ address: wallet.address, signature: signMessage(wallet, message) })

it('identifies the wallet by a signature over the exact message', () => {
  expect(redeem(challenges.issue(wallet.address).message)).toBe(wallet)
})

it('puts the nonce and the address into the message', () => {
  const { nonce, message } = challenges.issue(wallet.address)
  expect(message).toContain(nonce)
  expect(message).toContain(wallet.address)
})

it.each<[string, (message: string) => string]>([
  ['trimmed', (message) => message.trim()],
  ['with trailing white space removed', (message) => message.trimEnd()],
  ['with white space removed at the ends of lines', (message) => message.replace(/[ \t]+$/gm, '')],
  ['with CRLF changed to LF', (message) => message.replaceAll('\r\n', '\n')],
  ['with LF changed to CRLF', (message) => message.replace(/\r?\n/g, '\r\n')],
  ['in Unicode form NFC', (message) => message.normalize('NFC')],
  ['in Unicode form NFD', (message) => message.normalize('NFD')],
  ['with a plain space instead of the no-break one', (message) => message.replace('\u00a0', ' ')],
  ['with white space collapsed', (message) => message.replace(/\s+/g, ' ')],
  ['read as Latin-1', (message) => Buffer.from(message, 'utf8').toString('latin1')],
])('refuses a signature over the message %s', (_, rebuild) => {
  const { message } = challenges.issue(wallet.address)
  expect(rebuild(message)).not.toBe(message)
  expect(redeem(rebuild(message))).toBeUndefined()
})

it.each<[string, (message: string) => string, string | null]>([
  ['trimmed', (message) => message.trim(), 'trimmed'],
  ['normalized', (message) => message.normalize('NFC'), 'in another Unicode form (NFC)'],
  ['with other line ends', (message) => message.replaceAll('\r\n', '\n'), 'with other line ends'],
  ['another', (message) => `${message}.`, null],
])('describes a refused signature over the message %s', (_what, alter, words) => {
  const { message } = challenges.issue(wallet.address)
  const attempt = { address: wallet.address, signature: signMessage(wallet, alter(message)) }
  expect(challenges.answer(attempt)).toBeUndefined()
  expect(challenges.alteration(attempt)).toBe(words)
})

it('does not describe a signature by another key, or over an expired message', () => {
  const { message } = challenges.issue(wallet.address)
  const foreign = { address: wallet.address, signature: signMessage(other, message.trim()) }
  expect(challenges.alteration(foreign)).toBeNull()
  const attempt = { address: wallet.address, signature: signMessage(wallet, message.trim()) }
  clock.advance(301_000)
  challenges.answer(attempt)
  expect(challenges.alteration(attempt)).toBeNull()
})

it('refuses the signature of another key, and a malformed one', () => {
  const { message } = challenges.issue(wallet.address)
  for (const signature of [signMessage(other, message), '', 'zz', '00'.repeat(64), '00'.repeat(65)]) {
    expect(challenges.answer({ address: wallet.address, signature })).toBeUndefined()
  }
})

it('accepts a challenge once', () => {
  const { message } = challenges.issue(wallet.address)
  expect([redeem(message), redeem(message)]).toEqual([wallet, undefined])
})

it('expires challenges', () => {
  const early = challenges.issue(wallet.address).message
  clock.advance(1)
  const late = challenges.issue(wallet.address).message
  clock.advance(defaultChoices.challenge.lifetimeSeconds * 1000 - 1)
  expect([redeem(early), redeem(late)]).toEqual([undefined, wallet])
})

it('keeps several challenges of a wallet open, and a wrong signature uses up none', () => {
  const messages = [challenges.issue(wallet.address), challenges.issue(wallet.address)].map((c) => c.message)
  expect(redeem('something else')).toBeUndefined()
  expect(messages.map(redeem)).toEqual([wallet, wallet])
})

it('drops the oldest challenge above the maximum', () => {
  const oldest = challenges.issue(wallet.address).message
  const kept = Array.from(
    { length: defaultChoices.challenge.openMax },
    () => challenges.issue(wallet.address).message,
  )
  expect(redeem(oldest)).toBeUndefined()
  expect(redeem(kept[0] ?? '')).toBe(wallet)
})

it('issues challenges for unknown addresses too, which cannot be completed', () => {
  const { message } = challenges.issue('bw1unknown')
  expect(
    challenges.answer({ address: 'bw1unknown', signature: signMessage(wallet, message) }),
  ).toBeUndefined()
})
