/** What the process hands to the command line: passed in, so that the real commands run in tests. */
export type Outside = {
  /** Without the interpreter and the script. */
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Results; one line at a time. */
  stdout: (line: string) => void
  /** Everything else; text as it is. */
  stderr: (text: string) => void
  terminal: Terminal
  /** Aborted at Ctrl-C; the reason is the name of the signal. */
  interrupted: AbortSignal
}

/** Which of the two streams a person watches, on a terminal that can rewrite its lines, and how wide that is at the moment. */
export type Terminal = { stdout: boolean; stderr: boolean; columns: () => number }

/** A file, a pipe, a log of CI. */
export const NO_TERMINAL: Terminal = { stdout: false, stderr: false, columns: () => 80 }

/** How much a command says of what it does: `--quiet`, nothing asked for, `--verbose`. */
export type Loudness = 'quiet' | 'usual' | 'verbose'

/**
 * What a command has of the world outside. Errors and whatever else must be known at any loudness go to `stderr`. All that it
 * writes passes terminal-text.ts: texts of targets and files may be handed to it as they are, colours are those of paintFor.
 */
export type Io = Omit<Outside, 'stdout' | 'stderr'> & {
  /** A line of a result; further lines are indented. */
  stdout: (line: string) => void
  /** A result of many lines, whose line ends are all our own: JSON, YAML, help, a script. */
  document: (text: string) => void
  /** A message: one line, and indented ones. */
  stderr: (message: string) => void
  loudness: () => Loudness
  /** What goes on: a line on stderr; nowhere with `--quiet`. */
  tell: (line: string) => void
  /**
   * What is under way, the most important part first: on a terminal the last line, rewritten and fitted to its width, until
   * null takes it away; elsewhere a line now and then; nowhere with `--quiet`.
   */
  status: (parts: readonly string[] | null) => void
}
