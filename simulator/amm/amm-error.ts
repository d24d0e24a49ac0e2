/**
 * Why a pool refuses: by the names that the v3-core contracts give, and in words where those revert without one
 * (`overflow`: what does not fit its integer). Their payment checks (LOK, IIA, M0, M1, F0, F1) have no place here: a pool
 * says what is owed and moves no tokens.
 */
export type AmmErrorCode = keyof typeof REASONS

const REASONS = {
  AS: 'the amount specified is zero',
  SPL: 'the price limit is on the wrong side of the price, or outside the range of prices',
  LO: 'more liquidity than a tick may hold',
  LA: 'liquidity above 128 bits',
  LS: 'less liquidity than is taken away',
  NP: 'no position there',
  TLU: 'the lower tick is not below the upper',
  TLM: 'the lower tick is below the lowest',
  TUM: 'the upper tick is above the highest',
  T: 'the tick is out of range',
  R: 'the square-root price is out of range',
  OLD: 'the oracle keeps no observation as old as that',
  tier: 'the fee is not below 1,000,000 pips, or the tick spacing not from 1 to 16383',
  feeProtocol: 'a protocol fee is 0, or one in 4 to one in 10',
  uninitialized: 'no position ends at that tick',
  overflow: 'the result does not fit',
} as const

/** A pool's refusal: the state is as it was before the call. */
export class AmmError extends Error {
  readonly code: AmmErrorCode

  constructor(code: AmmErrorCode) {
    super(`${code}: ${REASONS[code]}`)
    this.name = 'AmmError'
    this.code = code
  }
}
