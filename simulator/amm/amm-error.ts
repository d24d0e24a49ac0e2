/**
 * Error codes of a pool, named as in the v3-core contracts, or described if those revert without a name (`overflow`: does not fit
 * its integer type). Excludes the contracts' payment checks (LOK, IIA, M0, M1, F0, F1): a pool computes what is owed and moves no
 * tokens.
 */
export type AmmErrorCode = keyof typeof REASONS

const REASONS = {
  AS: 'the amount specified is zero',
  SPL: 'the price limit is on the wrong side of the price, or out of range',
  LO: 'the liquidity exceeds the maximum of a tick',
  LA: 'the liquidity exceeds 128 bits',
  LS: 'the position has less liquidity than the amount to remove',
  NP: 'the position does not exist',
  TLU: 'the lower tick is not below the upper tick',
  TLM: 'the lower tick is below the minimum',
  TUM: 'the upper tick is above the maximum',
  T: 'the tick is out of range',
  R: 'the square-root price is out of range',
  OLD: 'the moment is older than the oldest oracle observation',
  tier: 'the fee is not below 1,000,000 pips, or the tick spacing is not from 1 to 16383',
  feeProtocol: 'a protocol fee must be 0, or 4 to 10',
  uninitialized: 'the tick is not initialized',
  overflow: 'the result does not fit',
} as const

/** Thrown before any change to the state. */
export class AmmError extends Error {
  readonly code: AmmErrorCode

  constructor(code: AmmErrorCode) {
    super(`${code}: ${REASONS[code]}`)
    this.name = 'AmmError'
    this.code = code
  }
}
