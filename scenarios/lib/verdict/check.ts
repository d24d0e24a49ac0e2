import { validators } from '../../../dist/validators.js'

/** Validates a body against a contract schema; returns one line per problem. */
export function check(schema: keyof typeof validators, body: unknown): string[] {
  const validate = validators[schema]
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || '(top level)'} ${message}`,
  )
}
