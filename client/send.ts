import type { Conduct } from './conduct.ts'
import { attemptUntilFinal, createRateGate, type RateGate, retryAfterMs } from './retry-wait.ts'
import type { Tools } from './time-and-chance.ts'

export type Request = {
  method: 'GET' | 'POST' | 'DELETE'
  /** Idempotent although not a GET. */
  repeatable?: true
  path: string
  query?: Readonly<Record<string, string>>
  body?: object
  headers?: Readonly<Record<string, string>>
}

export type ExchangeResponse = {
  status: number
  headers: Headers
  /** undefined if a failure came without JSON, such as from a proxy. */
  body: unknown
}

export function isSuccess({ status }: ExchangeResponse): boolean {
  return status >= 200 && status < 300
}

export type Send = (request: Request) => Promise<ExchangeResponse>

/** A response that is not a success, with the `code` and `ref` of its body. */
export class ExchangeError extends Error {
  readonly status: number
  readonly code: string | null
  readonly ref: string | null
  /** Those of the last response, for whoever repeats the work. */
  readonly headers: Headers

  constructor(response: Pick<ExchangeResponse, 'status' | 'body'> & { headers?: Headers }) {
    // as: each field is checked below
    const { error, code, ref } = Object(response.body) as Record<string, unknown>
    super(`${response.status} ${typeof error === 'string' ? error : ''}`.trim())
    this.status = response.status
    this.code = typeof code === 'string' ? code : null
    this.ref = typeof ref === 'string' ? ref : null
    this.headers = response.headers ?? new Headers()
  }
}

/** No response, or an unreadable one: the request may or may not have been executed. */
export class NoResponse extends Error {}

/** 401 without another credential, or 403: other requests will not succeed either. */
export function isFinal(error: unknown): boolean {
  return error instanceof ExchangeError && (error.status === 401 || error.status === 403)
}

/** A longer wait is not a rate limit: the request fails instead. */
const WAIT_MS_MAX = 60_000
/** Without Retry-After. One request may back off longer; the others must still be sent, such as the one for the next ticket. */
const GATE_MS_MAX = 2000

/**
 * Repeats a request, within limits, if that may help; returns the last response, whatever its status. Calls `make`
 * for each attempt, so that each uses the current credential. Throws NoResponse.
 */
export type RequestWithRetry = (
  make: () => Request,
  options?: { attemptsMax?: number },
) => Promise<ExchangeResponse>

/** Sends requests, and repeats them as the conduct says. A 429 delays all later requests. */
export function createRequestWithRetry(options: {
  send: Send
  tools: Tools
  conduct: Pick<Conduct, 'retryDelayMs' | 'attemptsMax'>
  gate?: RateGate
}): RequestWithRetry {
  const { send, tools, conduct, gate = createRateGate(tools) } = options
  const { nowMs, random, pause } = tools

  return async (make, { attemptsMax = conduct.attemptsMax } = {}) => {
    const sendOnce = async () => {
      const request = make()
      return { request, result: await send(request).catch(keepNoResponse) }
    }
    const waitAfter = ({ request, result }: Awaited<ReturnType<typeof sendOnce>>, attempt: number) => {
      const response = result instanceof NoResponse ? undefined : result
      const waitMs = conduct.retryDelayMs({ request, response, attempt, random, nowMs: nowMs() })
      if (response?.status === 429 && waitMs !== undefined)
        gate.shut(Math.min(waitMs, readWaitMs(response, nowMs()) ?? GATE_MS_MAX))
      const isLast = attempt + 1 >= attemptsMax || waitMs === undefined || waitMs > WAIT_MS_MAX
      return isLast ? undefined : waitMs
    }
    const { result } = await attemptUntilFinal(sendOnce, { waitAfter, pause, gate })
    if (result instanceof NoResponse) throw result
    return result
  }
}

/** The wait that a response or its error requires; undefined without a valid Retry-After. */
export function readWaitMs({ headers }: { headers: Headers }, nowMs: number): number | undefined {
  const [retryAfter, date] = ['retry-after', 'date'].map((name) => headers.get(name) ?? undefined)
  return retryAfterMs({ retryAfter, date, nowMs })
}

export function keepNoResponse(error: unknown): NoResponse {
  if (error instanceof NoResponse) return error
  throw error
}
