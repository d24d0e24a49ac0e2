import { BreakwaterError } from '../../../contract/breakwater-error.ts'

/** The API server takes no more. */
const BYTES_MAX = 2 ** 20

/** Throws a BreakwaterError (usage) where the values are more than a Secret or a ConfigMap holds. */
export function requireRoom(values: Readonly<Record<string, string>>, kind: string, hint: string): void {
  const bytes = Object.values(values).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes <= BYTES_MAX) return
  throw new BreakwaterError(
    `the ${kind} of the run would have ${bytes} bytes: a ${kind} holds ${BYTES_MAX}`,
    {
      hint,
    },
  )
}
