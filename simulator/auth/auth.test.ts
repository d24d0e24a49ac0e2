import { expect, it } from 'vitest'
import { defaultChoices } from '../choices/default-choices.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { STATED_LIMITS, type StubLimits } from '../stub-options.ts'
import { createAuth } from './auth.ts'
import { demoWallets } from './wallets.ts'

function setUp(limits: StubLimits = STATED_LIMITS) {
  const clock = createClock({ startMs: 0 })
  const random = createRandom(5)
  const wallets = demoWallets({ random, count: 2 })
  const auth = createAuth({ clock, random, wallets, choices: defaultChoices, limits })
  const [address = '', stranger = ''] = wallets.map((wallet) => wallet.address)
  const secret = auth.issueApiToken({ address, name: 'bot' })
  const tokenId = auth.apiTokens.bySecret(secret)?.id ?? ''
  const grant = auth.sessions.start(address)
  const sessionId = auth.sessions.byAccessToken(grant.accessToken)?.id ?? ''
  const issueTicket = (kind: 'session' | 'api-token') =>
    auth.issueTicket({ kind, id: kind === 'session' ? sessionId : tokenId, address }).ticket
  return { auth, clock, address, stranger, secret, tokenId, grant, sessionId, issueTicket }
}

it.each(['session', 'api-token'] as const)('redeems a ticket of a %s for its wallet', (kind) => {
  const { auth, address, issueTicket, sessionId, tokenId } = setUp()
  expect(auth.redeemTicket(issueTicket(kind))).toEqual({
    address,
    credentialId: kind === 'session' ? sessionId : tokenId,
    principal: address,
    issuedAtMs: 0,
    expiresAtMs: 60_000,
  })
})

it('tickets live for 60 seconds', () => {
  const { auth, clock, issueTicket } = setUp()
  const [early, late] = [issueTicket('session'), issueTicket('session')]
  clock.advance(59_999)
  expect(auth.redeemTicket(early)).toBeDefined()
  clock.advance(1)
  expect(auth.redeemTicket(late)).toBeUndefined()
})

it('redeems a ticket once', () => {
  const { auth, issueTicket } = setUp()
  const ticket = issueTicket('session')
  auth.redeemTicket(ticket)
  expect(auth.redeemTicket(ticket)).toBeUndefined()
})

it('refuses session and API tokens as tickets', () => {
  const { auth, secret, grant } = setUp()
  for (const token of [secret, grant.accessToken, grant.refreshToken, grant.csrfToken, '']) {
    expect(auth.redeemTicket(token)).toBeUndefined()
  }
})

it('refuses the ticket of a session or API token that has ended', () => {
  const { auth, address, sessionId, tokenId, issueTicket } = setUp()
  const tickets = [issueTicket('session'), issueTicket('api-token')]
  auth.sessions.end(sessionId)
  auth.apiTokens.revoke({ address, id: tokenId })
  expect(tickets.map((ticket) => auth.redeemTicket(ticket))).toEqual([undefined, undefined])
})

it('redeeming a code gives a wallet access, and a code of its own to pass on', () => {
  const { auth, address: invited, stranger } = setUp()
  const code = auth.referrals.findCode(invited) ?? ''
  expect([auth.hasAccess(stranger), auth.referrals.findCode(stranger)]).toEqual([false, undefined])
  expect(auth.redeemCode({ address: stranger, code: 'made up' })).toBe('unknown')
  expect(auth.hasAccess(stranger)).toBe(false)
  expect(auth.redeemCode({ address: stranger, code })).toBe('done')
  expect(auth.hasAccess(stranger)).toBe(true)
  const own = auth.referrals.findCode(stranger)
  expect(own).toEqual(expect.any(String))
  expect(auth.redeemCode({ address: stranger, code })).toBe('done')
  expect(auth.referrals.findCode(stranger)).toBe(own)
})

it('draws the same secrets again from the same seed', () => {
  expect(setUp().secret).toBe(setUp().secret)
  expect(setUp().grant).toEqual(setUp().grant)
})

it('ticket lifetimes follow the limits', () => {
  const { auth, clock, issueTicket } = setUp({ ...STATED_LIMITS, ticketSeconds: 90 })
  const ticket = issueTicket('session')
  clock.advance(89_999)
  expect(auth.redeemTicket(ticket)?.expiresAtMs).toBe(90_000)
})
