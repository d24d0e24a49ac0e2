import { z } from 'zod'

export function queryInteger({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, 'expected plain digits')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
}
