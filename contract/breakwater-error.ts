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

/** The parts of an error other than its message: the remedy, and the exit code of the command. */
export type BreakwaterErrorOptions = {
  /** The remedy for the user. */
  hint?: string
  exitCode?: ExitCode
  cause?: unknown
}

/** An error meant for the user: one message, one hint, one exit code (default: usage), no stack trace. */
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

/** Explains why a file could not be read, written or created; falls back to the system's error code. */
export function fileFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException // as: errors of node:fs carry a code
  return (code === undefined ? undefined : FAILURES[code]) ?? code ?? message ?? String(error)
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'something with that name already exists',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'this user’s share of the disk is full',
  EFBIG: 'it would be larger than the system allows',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links form a loop',
}

/** Explains why listening on an address or a port failed, and the remedy. `host` and `port` are their option names. */
export function listenFailure(
  cause: unknown,
  options: { host: string; port: string },
): { reason: string; hint: string } {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  return {
    reason: REASONS[code] ?? `cannot listen: ${code}`,
    hint:
      code === 'EADDRNOTAVAIL'
        ? `Use another address with ${options.host}, or 0.0.0.0 for all addresses.`
        : `Use another port with ${options.port}, or 0 for any free one.`,
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not listen on the port',
  EADDRNOTAVAIL: 'the host is not an address of this machine',
}
