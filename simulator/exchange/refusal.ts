import { ERRORS, type ErrorCode } from './error-codes.ts'

type RefusalOptions = {
  /** What exactly is wrong; goes into the body, so no secrets. */
  detail?: string
  headers?: Readonly<Record<string, string>>
  code?: 'shown' | 'hidden'
}

/** Thrown by a route or a hook to answer with an error body. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly statusCode: number
  /** Of the response, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>>

  /** Only a mutant hides the code from the body. */
  readonly codeInBody: 'shown' | 'hidden'

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(options.detail ? `${ERRORS[code].error}: ${options.detail}` : ERRORS[code].error)
    this.name = 'Refusal'
    this.code = code
    this.statusCode = ERRORS[code].status
    this.headers = options.headers ?? {}
    this.codeInBody = options.code ?? 'shown'
  }
}
