import { z } from 'zod'

/** A number in a query, from 0 on, as plain digits: described as an integer, parsed to one. */
export function queryInteger({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, 'expected plain digits')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
}
