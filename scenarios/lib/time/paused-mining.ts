/** Operations during which the chain's clock must not move: a socket has 5 s to authenticate. */
let pauses = 0

/** Keeps `advanceChain` in this VU from mining, for probes that share a world. */
export async function withMiningPaused<Result>(use: () => Promise<Result>): Promise<Result> {
  pauses++
  try {
    return await use()
  } finally {
    pauses--
  }
}

export function isMiningPaused(): boolean {
  return pauses > 0
}
