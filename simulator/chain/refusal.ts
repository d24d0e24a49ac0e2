import type { AmmErrorCode } from '../amm/amm-error.ts'

/** Reasons why a program rejects a transaction, by code; a pool's own reasons have the code `amm.` plus its error code. */
export const REFUSALS = {
  'not-administrator': 'only the administrator may do this',
  'not-owner': 'the position belongs to another wallet',
  'not-recipient': 'the output belongs to another wallet',
  'token-exists': 'the token exists already',
  'token-unknown': 'the token does not exist',
  'amount-not-positive': 'the amount is not positive',
  'balance-too-low': 'the balance does not cover the payment',
  'pair-invalid': 'a pair must be two different registered tokens',
  'tier-unknown': 'the fee tier does not exist',
  'pool-exists': 'the pair already has a pool of that fee tier',
  'pool-unknown': 'the pool does not exist',
  'pool-disabled': 'the pool is disabled',
  'pool-creation-gated': 'pool creation is reserved to the administrator',
  'trading-paused': 'all trading is paused',
  'pair-paused': 'trading of the pair is paused',
  'pair-unlisted': 'the pair is not on the allowlist',
  'hops-out-of-range': 'a swap takes one to three hops',
  'pool-twice': 'a swap visits no pool twice',
  'token-not-in-pool': 'the pool does not trade the token',
  'liquidity-too-low': 'the pool cannot take the amount, or has no output for it',
  'output-below-minimum': 'the output is below the minimum',
  'output-unknown': 'the output does not exist or has been claimed',
  'claim-too-high': 'the amount exceeds the remaining output',
  'position-unknown': 'the position does not exist',
  'position-frozen': 'the position is frozen',
  'position-not-frozen': 'the position is not frozen',
  'nothing-owed': 'nothing is owed',
  'faucet-closed': 'the faucet has no grants',
  'faucet-too-soon': 'the address received its tokens too recently',
} as const

export type RefusalCode = keyof typeof REFUSALS

export type RefusedBecause = RefusalCode | `amm.${AmmErrorCode}`

/** Rejects a transaction; thrown before the first change. */
export class Refusal extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(REFUSALS[code])
    this.name = 'Refusal'
    this.code = code
  }
}
