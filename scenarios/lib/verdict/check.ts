import { validators } from '../../../dist/validators.js'

/** Checks a body against a schema of the contract, and returns a line for each error. */
export function check(schema: keyof typeof validators, body: unknown): string[] {
  const validate = validators[schema]
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || '(top level)'} ${message}`,
  )
}
