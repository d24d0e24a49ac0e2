import { z } from 'zod'
import { REFUSAL_BODIES } from './seams.ts'

export const refusalBodySchema = z
  .enum(REFUSAL_BODIES)
  .default('json')
  .describe('The error as the exchange words it (`json`), the HTML page of a proxy, or no body at all')

export const retryAfterSecondsSchema = z
  .int()
  .min(0)
  .max(3600)
  .optional()
  .describe('Told in `Retry-After`, which is left out where this is')

/** From seconds, which may be left out. */
export function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}
