import type { AmmErrorCode } from '../amm/amm-error.ts'

/** Every reason why a program refuses a transaction, by code; a pool's own reasons come as `amm.` and its error code. */
export const REFUSALS = {
  'not-administrator': 'only the administrator may do this',
  'not-owner': 'the position is somebody else’s',
  'not-recipient': 'the output is somebody else’s',
  'token-exists': 'there is such a token already',
  'token-unknown': 'there is no such token',
  'amount-not-positive': 'the amount is not positive',
  'balance-too-low': 'the balance does not cover the payment',
  'pair-invalid': 'a pair is two different tokens that are registered',
  'tier-unknown': 'there is no such fee tier',
  'pool-exists': 'the pair has a pool of that fee tier already',
  'pool-unknown': 'there is no such pool',
  'pool-disabled': 'the pool is disabled',
  'pool-creation-gated': 'pool creation is reserved to the administrator',
  'trading-paused': 'all trading is paused',
  'pair-paused': 'trading of the pair is paused',
  'pair-unlisted': 'the pair is not on the allowlist',
  'hops-out-of-range': 'a swap takes one to three hops',
  'pool-twice': 'a swap visits no pool twice',
  'token-not-in-pool': 'the pool does not trade the token',
  'liquidity-too-low': 'the pool cannot take the amount, or gives nothing for it',
  'output-below-minimum': 'the output is below the minimum',
  'output-unknown': 'there is no such output, or it is claimed',
  'claim-too-high': 'more is claimed than remains',
  'position-unknown': 'there is no such position',
  'position-frozen': 'the position is frozen',
  'position-not-frozen': 'the position is not frozen',
  'nothing-owed': 'nothing is owed',
  'faucet-closed': 'the faucet has no grants',
  'faucet-too-soon': 'the address had its tokens a short while ago',
} as const

export type RefusalCode = keyof typeof REFUSALS

/** What a receipt says of a refused transaction. */
export type RefusedBecause = RefusalCode | `amm.${AmmErrorCode}`

/** Why a program refuses a transaction; it throws before it has changed anything. */
export class Refusal extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(REFUSALS[code])
    this.name = 'Refusal'
    this.code = code
  }
}
