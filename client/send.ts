import type { Timers } from './timers.ts'

export type Request = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  query?: Readonly<Record<string, string>>
  body?: object
  headers?: Readonly<Record<string, string>>
}

export type Answer = {
  status: number
  headers: Headers
  /** undefined where a failure came without JSON, as from a proxy on the way. */
  body: unknown
}

export type Send = (request: Request) => Promise<Answer>

const TIMEOUT_MS = 10_000

/** One request, once. Throws NoAnswer where none came in time, or it was cut off or broken. */
export function createSend(options: {
  timers: Timers
  urlOf: (request: Request) => string
  headers: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
}): Send {
  const { timers, urlOf, fetch } = options
  return async (request) => {
    const { method, body } = request
    const headers: Record<string, string> = { ...options.headers, ...request.headers }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const abort = new AbortController()
    const timeout = timers.after(TIMEOUT_MS, () => abort.abort())
    try {
      const response = await fetch(urlOf(request), {
        method,
        headers,
        signal: abort.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, headers: response.headers, body: await readBody(response) }
    } catch (cause) {
      throw new NoAnswer(`${method} ${request.path} was not answered`, { cause })
    } finally {
      timeout.cancel()
    }
  }
}

/** Exact figures are strings in JSON, and stay strings. A success is an object: anything else was spoilt on its way. */
async function readBody(response: Response): Promise<unknown> {
  const body = parseJson(await response.text())
  if (response.ok && Object(body) !== body) throw new Error('the body is no JSON object')
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer that is no success, with the body's `code` and `ref`. */
export class ExchangeError extends Error {
  readonly status: number
  readonly code: string | null
  readonly ref: string | null

  constructor(answer: Answer) {
    // as: each field is looked at below
    const { error, code, ref } = Object(answer.body) as Record<string, unknown>
    super(`${answer.status} ${typeof error === 'string' ? error : ''}`.trim())
    this.status = answer.status
    this.code = typeof code === 'string' ? code : null
    this.ref = typeof ref === 'string' ? ref : null
  }
}

/** No answer came, or none that can be read: whether the request was acted on is not known. */
export class NoAnswer extends Error {}

/** 401 where there is no other credential to be had, or 403: asking for something else does no better. */
export function isFinal(error: unknown): boolean {
  return error instanceof ExchangeError && (error.status === 401 || error.status === 403)
}
