/** What a command has of the world outside: passed in, so that the real commands run in tests. */
export type Io = {
  /** Without the interpreter and the script. */
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Results; one line at a time. */
  stdout: (line: string) => void
  /** Everything else; text as it is. */
  stderr: (text: string) => void
  /** Whether a person watches stderr. */
  isTerminal: boolean
  /** Aborted at Ctrl-C; the reason is the name of the signal. */
  interrupted: AbortSignal
}
