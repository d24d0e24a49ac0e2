/** The greatest integer whose square is at most `value` (Newton's iteration from above). */
export function integerSqrt(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
