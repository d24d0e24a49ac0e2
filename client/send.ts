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
