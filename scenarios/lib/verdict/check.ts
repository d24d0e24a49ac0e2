import { validators } from './validators.generated.js'

/** Checks a body against a schema of the contract: what is wrong, a line each, or nothing. */
export function check(schema: keyof typeof validators, body: unknown): string[] {
  const validate = validators[schema]
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || '(top level)'} ${message}`,
  )
}
