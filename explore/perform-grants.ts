/** Commands about the faucet, minting and referral codes. */

import type { Wallet } from '../contract/profile.ts'
import { noteClaim, recall } from './memory.ts'
import { isSuccess, isUnauthorized } from './model/credentials.ts'
import { isServing, type Performed, performWith, type Requester } from './requests.ts'
import { ADMINISTRATOR, type CommandOf } from './sequence.ts'

type GrantKind = 'claim' | 'redeem-code' | 'read-codes' | 'mint'

export const GRANT_COMMANDS: {
  [Kind in GrantKind]: (
    command: CommandOf<Kind>,
    requester: Requester & { wallets: readonly Wallet[] },
  ) => Performed
} = {
  async claim({ by, wallet }, { wallets, ...requester }) {
    const { target } = requester
    const { path, address: field, access } = target.profile.choices.faucet
    const address = wallets[wallet]?.address
    if (path === null || field === null || address === undefined) return null
    const { claims, startedMs } = recall(target)
    const callMs = target.nowMs()
    const quietMs = callMs - (claims.get(address)?.triedMs ?? startedMs)
    noteClaim(target, address, { acceptedMs: null })
    const claim = () =>
      performWith(access === 'public' ? undefined : by, requester, {
        method: 'POST',
        path,
        body: { [field]: address },
        isLimited: true,
      })
    let outcome = await claim()
    // A 429 that concerns all requests ends soon.
    if (outcome?.status === 429 && (await isServing(target))) {
      await target.pass(LIMIT_PAUSE_MS)
      outcome = await claim()
    }
    if (outcome === null) return null
    const isAccepted = isSuccess(outcome)
    noteClaim(target, address, { acceptedMs: isAccepted ? callMs : null })
    // A claim counts from its block.
    if (isAccepted) await target.stir()
    const isLasting = outcome.status === 429 && (await isServing(target))
    return { ...outcome, quietMs, ...(isLasting && { isPersistent: true }) }
  },
  'redeem-code': async ({ by, for: kind }, requester) => {
    const { redeemPath, attributionPath, code } = requester.target.profile.choices.referral
    const path = kind === 'redemption' ? redeemPath : attributionPath
    if (path === null || code === null) return null
    return performWith(by, requester, { method: 'POST', path, body: { [code]: MADE_UP } })
  },
  'read-codes': async ({ by }, requester) =>
    performWith(by, requester, { method: 'GET', path: '/referral/codes' }),
  async mint({ by }, { wallets, ...requester }) {
    const { tokens } = await recall(requester.target).catalog()
    const program = tokens.find((token) => token.program !== undefined)?.program
    const recipient = requester.target.administrator?.address ?? wallets[0]?.address
    if (program === undefined || recipient === undefined) return null
    const body = { amm_token_program: program, amount: AMOUNT, recipient }
    const outcome = await performWith(by, requester, { method: 'POST', path: '/tokens/mint', body })
    if (!outcome || !isUnauthorized(outcome) || requester.jar.sessions.get(by)?.wallet !== ADMINISTRATOR)
      return outcome
    const codes = await performWith(by, requester, { method: 'GET', path: '/referral/codes' })
    return { ...outcome, witnessStatus: codes?.status ?? 0 }
  },
}

const LIMIT_PAUSE_MS = 400
const MADE_UP = 'NO-SUCH-CODE-2345'
/** A negligible amount. */
const AMOUNT = '1000'
