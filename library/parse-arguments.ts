import type { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { validate } from '../contract/validate.ts'

/**
 * Validates what a caller passes, who may have no types. `call` names the function. Throws a BreakwaterError that lists every problem
 * with its place.
 */
export function parseArguments<Schema extends z.ZodType>(
  call: string,
  schema: Schema,
  given: unknown,
  {
    what = 'set of arguments',
    page = 'docs/guides/library.md shows each call and its options.',
  }: { what?: string; page?: string } = {},
): z.output<Schema> {
  const { data, problems } = validate(schema, given)
  if (problems === null) return data
  throw new BreakwaterError(
    `${call}: not a valid ${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    { hint: page },
  )
}
