import { BreakwaterError } from './breakwater-error.ts'
import { either, LISTED_MAX, nearestNames } from './suggest-names.ts'

/** The error for an unknown name of any kind. `listed` is a sentence that says how to list all names. */
export function unknownName(
  problem: string,
  { name, names, listed }: { name: string; names: readonly string[]; listed?: string },
): BreakwaterError {
  const suggestion =
    names.length <= LISTED_MAX
      ? `Expected ${either(names)}.`
      : `Did you mean ${either(nearestNames(name, names))}?`
  return new BreakwaterError(problem, { hint: listed === undefined ? suggestion : `${suggestion} ${listed}` })
}
