import { ERRORS, type ErrorCode } from '../../choices/error-codes.ts'

type RefusalOptions = {
  /** What exactly is wrong; goes into the body, so no secrets. */
  detail?: string
  headers?: Readonly<Record<string, string>>
  /** Told in `Retry-After`. */
  retryAfterMs?: number
  code?: 'shown' | 'hidden'
}

/** Thrown by a route or a hook to answer with an error body. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  /** Of the response, such as Allow. */
  readonly headers: Readonly<Record<string, string>>
  readonly retryAfterMs: number | undefined

  /** Only a mutant hides the code from the body. */
  readonly codeInBody: 'shown' | 'hidden'

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(options.detail ? `${ERRORS[code].error}: ${options.detail}` : ERRORS[code].error)
    this.name = 'Refusal'
    this.code = code
    this.statusCode = ERRORS[code].status
    this.headers = options.headers ?? {}
    this.retryAfterMs = options.retryAfterMs
    this.codeInBody = options.code ?? 'shown'
  }
}
