/** Operations during which the clock must not move: a socket has 5 s to authenticate. */
let holds = 0

/** Keeps `chainGoesOn` of this VU from mining, for probes that share a world. */
export async function clockHeld<Result>(use: () => Promise<Result>): Promise<Result> {
  holds++
  try {
    return await use()
  } finally {
    holds--
  }
}

export function isClockHeld(): boolean {
  return holds > 0
}
