export type Request = {
  method: 'GET' | 'POST' | 'DELETE'
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

export type Send = (request: Request) => Promise<ExchangeResponse>

/** A response that is not a success, with the `code` and `ref` of its body. */
export class ExchangeError extends Error {
  readonly status: number
  readonly code: string | null
  readonly ref: string | null

  constructor(response: ExchangeResponse) {
    // as: each field is checked below
    const { error, code, ref } = Object(response.body) as Record<string, unknown>
    super(`${response.status} ${typeof error === 'string' ? error : ''}`.trim())
    this.status = response.status
    this.code = typeof code === 'string' ? code : null
    this.ref = typeof ref === 'string' ? ref : null
  }
}

/** No response, or an unreadable one: the request may or may not have been executed. */
export class NoResponse extends Error {}

/** 401 without another credential, or 403: other requests will not succeed either. */
export function isFinal(error: unknown): boolean {
  return error instanceof ExchangeError && (error.status === 401 || error.status === 403)
}
