/** Exit codes of every command; other tools rely on them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  environment: 3,
  inconclusive: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What an error tells beside its message: what to do about it, and the exit code of the command. */
export type BreakwaterErrorOptions = {
  /** What the user can do about it. */
  hint?: string
  exitCode?: ExitCode
  cause?: unknown
}

/** An error meant for the user: one message, one hint, one exit code (usage when not told), no stack trace. */
export class BreakwaterError extends Error {
  readonly hint: string | undefined
  readonly exitCode: ExitCode

  constructor(message: string, options: BreakwaterErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'BreakwaterError'
    this.hint = options.hint
    this.exitCode = options.exitCode ?? EXIT.usage
  }
}
