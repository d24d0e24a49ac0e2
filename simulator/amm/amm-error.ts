/** Why a pool refuses: the revert reasons of the v3-core contracts, and `overflow` where those revert without one. */
export type AmmErrorCode =
  | 'AS'
  | 'SPL'
  | 'LO'
  | 'LA'
  | 'LS'
  | 'NP'
  | 'TLU'
  | 'TLM'
  | 'TUM'
  | 'T'
  | 'R'
  | 'overflow'

const REASONS: Record<AmmErrorCode, string> = {
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
  overflow: 'the result does not fit',
}

/** A pool's refusal: the state is as it was before the call. */
export class AmmError extends Error {
  readonly code: AmmErrorCode

  constructor(code: AmmErrorCode) {
    super(`${code}: ${REASONS[code]}`)
    this.name = 'AmmError'
    this.code = code
  }
}
