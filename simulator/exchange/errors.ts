import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Choices } from '../choices/choices.ts'
import { ERRORS, type ErrorCode } from '../choices/error-codes.ts'
import type { Clock } from '../clock.ts'
import type { Rejection } from '../faults/hooks.ts'
import { describeBrokenHttp, sendBareResponse } from '../http/bare-response.ts'
import { createBodySerializer } from './replies/extra-fields.ts'

type InjectedCode = Rejection['code']

/**
 * Returns Fastify's error handler: it responds with a body of `error`, `code`, and `ref`, which is also in the log line. A
 * failure of the stub itself is a 500 without details.
 */
export function createErrorHandler({ choices, clock }: { choices: Choices; clock: Clock }) {
  const serialize = createBodySerializer(choices)
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { code, message, headers, retryAfterMs } = asRefusal(error)
    request.failure = { code, source: code === 'internal' ? locateSource(error) : null }
    // Fastify would cut the connection and lose the response for a client that is still sending: drain the body instead.
    if (code === 'body_too_large') reply.removeHeader('connection')
    if (retryAfterMs !== undefined) spellRetryAfter(reply, { waitMs: retryAfterMs, choices, clock })
    reply
      .code(getStatus(code, choices))
      .headers(headers)
      .type('application/json; charset=utf-8') // Fastify sets none for a serializer
      .serializer(serialize)
      .send(errorBody({ error: message, code, request, choices }))
  }
}

/** Builds an error body as the choices spell it; its `ref` identifies the request in the log. */
export function errorBody(options: {
  error: string
  code: ErrorCode | InjectedCode | undefined
  request: FastifyRequest
  choices: Choices
}): object {
  const { error, code, request, choices } = options
  return {
    error,
    ...(code !== undefined && { code: shownCode(code, choices) }),
    ref: choices.errors.ref === 'shown' ? request.id : null,
  }
}

/** The code's status, which choices may change. */
export function getStatus(code: ErrorCode, { errors }: Choices): number {
  return errors.statuses[code] ?? ERRORS[code].status
}

/** The code that the specification names is never hidden. */
export function shownCode<Code extends ErrorCode | InjectedCode>(
  code: Code,
  { errors }: Choices,
): Code | null {
  return errors.code === 'shown' || code === 'protocol_revision_pending' ? code : null
}

/** Responds to malformed HTTP and to requests that time out. */
export function createClientErrorHandler(options: {
  clock: Clock
  choices: Choices
}): (error: Error, socket: Socket) => void {
  const { error: text } = ERRORS.invalid_request
  const malformed = { error: text, code: shownCode('invalid_request', options.choices) }
  return (error, socket) => {
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) socket.destroy()
    else sendBareResponse(socket, describeBrokenHttp(error, malformed), options)
  }
}

/** Our codes for Fastify's own errors; any other client error is a malformed request. */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  413: 'body_too_large',
  415: 'media_type_unsupported',
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const details = error.validation.map((issue) => `${fieldName(issue.instancePath)}: ${issue.message}`)
    return new Refusal('invalid_request', { detail: details.join('; ') })
  }
  const status = error instanceof Error ? (error as FastifyError).statusCode : undefined // as: absent on other errors
  if (status !== undefined && status >= 400 && status < 500) {
    return new Refusal(CODE_BY_STATUS[status] ?? 'invalid_request')
  }
  return new Refusal('internal')
}

function fieldName(instancePath: string): string {
  return instancePath.replace(/^\//, '') || 'the body'
}

/** Name and location, never the message: it may contain client data. */
function locateSource(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frame = /^ +at (.*)$/m.exec(error.stack ?? '')?.[1]
  return frame ? `${error.name} at ${frame}` : error.name
}

type RefusalOptions = {
  /** Details for the body; no secrets. */
  detail?: string
  headers?: Readonly<Record<string, string>>
  retryAfterMs?: number
}

export class Refusal extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  /** Response headers, such as Allow. */
  readonly headers: Readonly<Record<string, string>>
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(options.detail ? `${ERRORS[code].error}: ${options.detail}` : ERRORS[code].error)
    this.name = 'Refusal'
    this.code = code
    this.statusCode = ERRORS[code].status
    this.headers = options.headers ?? {}
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Returns a function that dates a response by the clock, plus the request's skew. */
export function createDater(clock: Clock): (reply: FastifyReply) => FastifyReply {
  const dateText = createDateText()
  return (reply) => reply.header('date', dateText(skewedMs(reply.request, clock.nowMs())))
}

export function skewedMs({ skewMs = 0 }: FastifyRequest, atMs: number): number {
  return atMs + skewMs
}

/** Sets Retry-After, as seconds or as a date by the choices, on the request's clock. */
export function spellRetryAfter(
  reply: FastifyReply,
  { waitMs, choices, clock }: { waitMs: number; choices: Choices; clock: Clock },
): void {
  const nowMs = skewedMs(reply.request, clock.nowMs())
  reply.header('retry-after', choices.wire.retryAfter({ waitMs, nowMs }))
}

/** RFC 9110 format, to the second; formatted once per second. */
function createDateText(): (atMs: number) => string {
  let known = { second: Number.NaN, text: '' }
  return (atMs) => {
    const second = Math.floor(atMs / 1000)
    if (known.second !== second) known = { second, text: new Date(second * 1000).toUTCString() }
    return known.text
  }
}

/** Methods that a path accepts; empty if the path does not exist. */
type AllowedMethods = (path: string) => readonly string[]

/** Collects the methods of routes registered after this call. */
export function collectAllowedMethods(app: FastifyInstance): AllowedMethods {
  const known = new Map<string, { segments: readonly string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return // the CORS plugin's
    const { methods } = known.get(url) ?? { methods: new Set<string>() }
    for (const name of [method].flat()) methods.add(name)
    known.set(url, { segments: url.split('/'), methods })
  })
  return (path) => {
    const requested = path.split('/')
    const found = [...known.values()].filter(({ segments }) => matches(segments, requested))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** A parameter, such as `:key`, is one segment. */
function matches(segments: readonly string[], requested: readonly string[]): boolean {
  return (
    segments.length === requested.length &&
    segments.every(
      (segment, place) =>
        segment === requested[place] || (segment.startsWith(':') && requested[place] !== ''),
    )
  )
}
