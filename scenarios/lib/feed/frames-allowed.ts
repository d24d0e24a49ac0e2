import { LIMITS } from '../../../contract/limits.ts'

/**
 * How many frames of a burst may be acted on at the most: a full allowance, and what a bucket that refills evenly adds
 * while the burst lasts.
 */
export function framesAllowed({ seconds }: { seconds: number }): number {
  return LIMITS.wsFramesPerMinute + Math.ceil((LIMITS.wsFramesPerMinute / 60) * seconds)
}
