import type { FastifyInstance, RouteOptions } from 'fastify'
import type { z } from 'zod'
import { errorBodySchema } from '../../contract/schemas/wire.ts'
import type { Choices } from '../choices/choices.ts'
import { ERRORS, type ErrorCode } from '../choices/error-codes.ts'
import { type AccessLevel, READING_METHODS } from './access/access.ts'
import { shownCode, statusOf } from './errors/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Codes that the route itself answers with, beyond those that access, input and the rate limit bring. */
    errors?: readonly ErrorCode[]
  }
}

/** Adds to each route registered from here on a schema for every error status that it may answer with. */
export function documentErrors(app: FastifyInstance, choices: Choices): void {
  app.addHook('onRoute', (route) => {
    const errors = errorResponses(errorsOf(route), choices)
    const response = { ...errors, ...(route.schema?.response as object | undefined) }
    route.schema = { ...route.schema, response }
  })
}

/** Every code that a route may answer with. */
export function errorsOf({ method, schema, config = {} }: RouteOptions): readonly ErrorCode[] {
  const { access = 'session', servesWithoutAccess, rateLimit, errors = [] } = config
  const writes = [method].flat().some((name) => !READING_METHODS.has(name))
  const codes = new Set<ErrorCode>(errors)
  const add = (condition: boolean, ...more: ErrorCode[]) => {
    if (condition) for (const code of more) codes.add(code)
  }
  add(schema?.querystring !== undefined, 'invalid_request')
  add(schema?.body !== undefined, 'invalid_request', 'body_too_large', 'media_type_unsupported')
  add(true, ...ERRORS_OF_ACCESS[access])
  add(access !== 'public' && access !== 'admin' && !servesWithoutAccess, 'access_required')
  add(access !== 'public' && writes, 'csrf_required')
  add(rateLimit !== false, 'rate_limited')
  add(true, 'internal')
  return [...codes]
}

const ERRORS_OF_ACCESS: Record<AccessLevel, readonly ErrorCode[]> = {
  public: [],
  cred: ['credentials_missing', 'credentials_invalid'],
  session: ['credentials_missing', 'credentials_invalid', 'session_required'],
  admin: ['credentials_missing', 'credentials_invalid', 'admin_required'],
}

/** A schema for each status that one of the codes has. */
function errorResponses(codes: readonly ErrorCode[], choices: Choices): Record<number, z.ZodType> {
  const statuses = [...new Set(codes.map((code) => statusOf(code, choices)))].sort()
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorSchema(
        codes.filter((code) => statusOf(code, choices) === status),
        choices,
      ),
    ]),
  )
}

function errorSchema(codes: readonly ErrorCode[], choices: Choices): z.ZodType {
  const ref = choices.errors.ref === 'shown' ? 'r0000001' : null
  const isWait = codes.every((code) => 'retryAfter' in ERRORS[code])
  return errorBodySchema.meta({
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].error}`).join('; '),
    examples: codes.map((code) => ({ error: ERRORS[code].error, code: shownCode(code, choices), ref })),
    ...(isWait && { headers: { 'Retry-After': RETRY_AFTER } }),
  })
}

const RETRY_AFTER = { type: 'string', description: 'How long to wait: in seconds, or until when' }
