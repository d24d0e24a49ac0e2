import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Choices } from '../choices/choices.ts'
import { ERRORS, type ErrorCode } from '../choices/error-codes.ts'
import type { Clock } from '../clock.ts'
import type { Refused } from '../faults/seams.ts'
import { answerBare, brokenHttpAnswer } from '../http/bare-answer.ts'

type InjectedCode = Refused['code']

/**
 * What Fastify calls with whatever was thrown: it responds with an error body of `error`, `code`, and `ref`, which the log line
 * has too. For a failure of the stub itself, that is a 500 without details.
 */
export function errorAnswerer({ choices, clock }: { choices: Choices; clock: Clock }) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const { code, message, headers, retryAfterMs } = asRefusal(error)
    request.failure = { code, source: code === 'internal' ? sourceOf(error) : null }
    // Fastify would cut the connection, and so the answer from a client that is still sending: read on, and drop it.
    if (code === 'body_too_large') reply.removeHeader('connection')
    if (retryAfterMs !== undefined) spellRetryAfter(reply, { waitMs: retryAfterMs, choices, clock })
    reply
      .code(statusOf(code, choices))
      .headers(headers)
      .send(errorBody({ error: message, code, request, choices }))
  }
}

/** An error body as the choices spell it; its `ref` finds the request in the log. */
export function errorBody(options: {
  error: string
  /** Left out where it is undefined. */
  code: ErrorCode | InjectedCode | undefined
  request: FastifyRequest
  choices: Choices
}): object {
  const { error, code, request, choices } = options
  return {
    ...choices.extraFields,
    error,
    ...(code !== undefined && { code: shownCode(code, choices) }),
    ref: choices.errors.ref === 'shown' ? request.id : null,
  }
}

/** The status that a code comes with, which choices may change. */
export function statusOf(code: ErrorCode, { errors }: Choices): number {
  return errors.statuses[code] ?? ERRORS[code].status
}

/** The one that the specification names is always told. */
export function shownCode<Code extends ErrorCode | InjectedCode>(
  code: Code,
  { errors }: Choices,
): Code | null {
  return errors.code === 'shown' || code === 'protocol_revision_pending' ? code : null
}

/** Answers what is not even HTTP, or does not end in time. */
export function answerBrokenHttp(options: {
  clock: Clock
  choices: Choices
}): (error: Error, socket: Socket) => void {
  const { error: text } = ERRORS.invalid_request
  const malformed = { error: text, code: shownCode('invalid_request', options.choices) }
  return (error, socket) => {
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) socket.destroy()
    else answerBare(socket, brokenHttpAnswer(error, malformed), options)
  }
}

/** Codes of Fastify's own errors that have one of ours; what else it calls the client's fault is a malformed request. */
const CODE_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  413: 'body_too_large',
  415: 'media_type_unsupported',
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (hasZodFastifySchemaValidationErrors(error)) {
    const details = error.validation.map((issue) => `${nameOf(issue.instancePath)}: ${issue.message}`)
    return new Refusal('invalid_request', { detail: details.join('; ') })
  }
  const status = error instanceof Error ? (error as FastifyError).statusCode : undefined // as: absent on other errors
  if (status !== undefined && status >= 400 && status < 500) {
    return new Refusal(CODE_BY_STATUS[status] ?? 'invalid_request')
  }
  return new Refusal('internal')
}

function nameOf(instancePath: string): string {
  return instancePath.replace(/^\//, '') || 'the body'
}

/** Name and place, never the message: it may hold what a client sent. */
function sourceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frame = /^ +at (.*)$/m.exec(error.stack ?? '')?.[1]
  return frame ? `${error.name} at ${frame}` : error.name
}

type RefusalOptions = {
  /** What exactly is wrong; goes into the body, so no secrets. */
  detail?: string
  headers?: Readonly<Record<string, string>>
  /** Told in `Retry-After`. */
  retryAfterMs?: number
}

/** Thrown by a route or a hook to answer with an error body. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  /** Of the response, such as Allow. */
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

/** Returns a function that dates a response: by the clock, unless a fault has skewed it for this request. */
export function createDater(clock: Clock): (reply: FastifyReply) => FastifyReply {
  const dateText = createDateText()
  return (reply) => reply.header('date', dateText(toldMs(reply.request, clock.nowMs())))
}

/** A time of the exchange’s own, such as an expiry. */
export function toldMs({ skewMs = 0 }: FastifyRequest, atMs: number): number {
  return atMs + skewMs
}

/** Sets Retry-After: how long to wait, as seconds or as a date by the choices, on the clock that the request is told. */
export function spellRetryAfter(
  reply: FastifyReply,
  { waitMs, choices, clock }: { waitMs: number; choices: Choices; clock: Clock },
): void {
  const nowMs = toldMs(reply.request, clock.nowMs())
  reply.header('retry-after', choices.wire.retryAfter({ waitMs, nowMs }))
}

/** To the second, in the form of RFC 9110; put into words once a second. */
function createDateText(): (atMs: number) => string {
  let known = { second: Number.NaN, text: '' }
  return (atMs) => {
    const second = Math.floor(atMs / 1000)
    if (known.second !== second) known = { second, text: new Date(second * 1000).toUTCString() }
    return known.text
  }
}

/** The methods that are taken at a path; none where there is nothing at all. */
type AllowedMethods = (path: string) => readonly string[]

/** Of the routes that are registered from here on. */
export function collectAllowedMethods(app: FastifyInstance): AllowedMethods {
  const known = new Map<string, { segments: readonly string[]; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return // the CORS plugin's
    const { methods } = known.get(url) ?? { methods: new Set<string>() }
    for (const name of [method].flat()) methods.add(name)
    known.set(url, { segments: url.split('/'), methods })
  })
  return (path) => {
    const asked = path.split('/')
    const found = [...known.values()].filter(({ segments }) => matches(segments, asked))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** A parameter, such as `:key`, is one segment. */
function matches(segments: readonly string[], asked: readonly string[]): boolean {
  return (
    segments.length === asked.length &&
    segments.every(
      (segment, place) => segment === asked[place] || (segment.startsWith(':') && asked[place] !== ''),
    )
  )
}
