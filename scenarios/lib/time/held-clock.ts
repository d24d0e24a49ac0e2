/** How many are at something that the clock must not move under: a socket has 5 s of it to authenticate. */
let holds = 0

/** Keeps `chainGoesOn` of this VU from mining meanwhile: for probes that run side by side in one world. */
export async function clockHeld<Result>(use: () => Promise<Result>): Promise<Result> {
  holds++
  try {
    return await use()
  } finally {
    holds--
  }
}

/** Whether somebody in this VU needs the clock to stay where it is. */
export function isClockHeld(): boolean {
  return holds > 0
}
