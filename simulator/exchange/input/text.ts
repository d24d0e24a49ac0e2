import { z } from 'zod'

/** A text of so many characters, counted as a JSON schema counts them: by code points, not by UTF-16 units. */
export function textSchema({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .refine((text) => isOfLength(text, min, max), { error: `expected ${min} to ${max} characters` })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })
}

/** There are at most as many code points as units, and at least half as many. */
function isOfLength(text: string, min: number, max: number): boolean {
  if (text.length <= max && text.length >= 2 * min) return true
  const count = [...text].length
  return count >= min && count <= max
}
