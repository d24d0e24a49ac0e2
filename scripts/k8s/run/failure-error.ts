import { BreakwaterError, EXIT } from '../../../contract/breakwater-error.ts'
import type { Failure } from '../diagnose/diagnose.ts'

/** What keeps a load from being made, as the error of a command. */
export function failureError({ sentence, hint }: Pick<Failure, 'sentence' | 'hint'>): BreakwaterError {
  return new BreakwaterError(sentence, { hint, exitCode: EXIT.environment })
}
