/** Connects the process to the commands: streams, signals, exit code. */
import { EXIT } from '../contract/breakwater-error.ts'
import { ownErrorText, runCli } from './commands/cli.ts'
import { messageText } from './terminal-text.ts'

/** npm forwards a Ctrl-C that its child has already received: a second one within this time is the same one. */
const SAME_INTERRUPT_MS = 500
/** Grace time for cleanup after an interruption; then the process is forced to exit. */
const LEAVE_MS = 1000

const interrupted = new AbortController()
let interrupts = 0
let firstMs = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Remove the listeners of breakwater.mjs only after adding ours: a signal without any listener ends the process, and
  // a pending one would be lost.
  const before = process.listeners(signal)
  process.on(signal, () => {
    interrupts++
    if (interrupts === 1) firstMs = performance.now()
    else if (interrupts > 2 || performance.now() - firstMs > SAME_INTERRUPT_MS) endAtOnce()
    interrupted.abort(signal)
  })
  for (const listener of before) process.off(signal, listener)
}

// Thrown outside the awaited command, for example in a listener: exit, and stop k6.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${messageText(ownErrorText(error, process.env))}\n`)
  process.exit(interrupted.signal.aborted ? EXIT.interrupted : EXIT.environment)
})

let outputFailure: NodeJS.ErrnoException | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe (`| head`) ends the output, not the work.
  if (error.code === 'EPIPE') return
  outputFailure ??= error
  // No one could learn where `stub` listens.
  interrupted.abort()
})
process.stderr.on('error', () => {})

const exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdout: (line) => process.stdout.write(`${line}\n`),
  stderr: (text) => process.stderr.write(text),
  terminal: {
    stdout: canRewrite(process.stdout),
    stderr: canRewrite(process.stderr),
    // A pseudo-terminal without a size reports 0.
    columns: () => process.stderr.columns || 80,
  },
  interrupted: interrupted.signal,
})
await new Promise((flushed) => process.stdout.write('', flushed))
process.exitCode = exitCode
if (outputFailure) {
  process.stderr.write(`breakwater: standard output cannot be written: ${outputFailure.code}\n`)
  process.stderr.write('  The destination must be writable and have room.\n')
  process.exitCode = EXIT.environment
}
if (interrupted.signal.aborted) setTimeout(endAtOnce, LEAVE_MS).unref()

function canRewrite({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY === true && process.env.TERM !== 'dumb'
}

/**
 * Raises the signal after the listeners of `exit` (they stop k6) have run: process.exit waits for system calls such as
 * opening a pipe without a writer. Shells show 130.
 */
function endAtOnce(): never {
  // Clears the status line, including the terminal's ^C.
  if (canRewrite(process.stderr)) process.stderr.write('\r\x1b[2K')
  process.on('exit', () => {
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  })
  process.exit(EXIT.interrupted)
}
