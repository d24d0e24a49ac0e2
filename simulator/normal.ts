import type { RandomStream } from './random.ts'

/**
 * A draw from the standard normal distribution (Marsaglia's polar method). It needs only logarithm and square root:
 * sine and cosine differ in their last bit between builds of V8, and a seed must mean the same everywhere.
 */
export function normal(stream: RandomStream): number {
  for (;;) {
    const x = 2 * stream.float() - 1
    const y = 2 * stream.float() - 1
    const squared = x * x + y * y
    if (squared > 0 && squared < 1) return x * Math.sqrt((-2 * Math.log(squared)) / squared)
  }
}

/** A draw whose logarithm is normal: sizes of trades and of pools. */
export function logNormal(
  stream: RandomStream,
  { median, spread }: { median: number; spread: number },
): number {
  return median * Math.exp(spread * normal(stream))
}
