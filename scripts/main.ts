/** Where the command line meets the process: hands its parts to the commands, and ends it. */
import { EXIT } from '../contract/breakwater-error.ts'
import { runCli } from './commands/cli.ts'
import { ownErrorText } from './commands/tell-error.ts'
import { messageText } from './terminal-text.ts'

/** npm hands on the Ctrl-C that its child has had already: what comes so soon is the same one. */
const SAME_INTERRUPT_MS = 500
/** For what an interrupted command leaves behind; after that, whatever still holds the process is cut off. */
const LEAVE_MS = 1000

const interrupted = new AbortController()
let interrupts = 0
let firstMs = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Those of breakwater.mjs, for the time until now, go when there is another: a signal that nothing listens for ends the
  // process, and one that has come and is not handed on yet is lost.
  const before = process.listeners(signal)
  process.on(signal, () => {
    interrupts++
    if (interrupts === 1) firstMs = performance.now()
    else if (interrupts > 2 || performance.now() - firstMs > SAME_INTERRUPT_MS) endAtOnce()
    interrupted.abort(signal)
  })
  for (const listener of before) process.off(signal, listener)
}

// Outside of what the command waits for, such as in a listener: ends it, and k6 with it.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${messageText(ownErrorText(error, process.env))}\n`)
  process.exit(interrupted.signal.aborted ? EXIT.interrupted : EXIT.environment)
})

let outputFailure: NodeJS.ErrnoException | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A pipe closed by its reader (`| head`) ends the output, not the work.
  if (error.code === 'EPIPE') return
  outputFailure ??= error
  // `stub` would serve somebody who cannot know where.
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
    // A pseudo-terminal that nobody told its size has none.
    columns: () => process.stderr.columns || 80,
  },
  interrupted: interrupted.signal,
})
await new Promise((flushed) => process.stdout.write('', flushed))
process.exitCode = exitCode
if (outputFailure) {
  process.stderr.write(`breakwater: standard output cannot be written: ${outputFailure.code}\n`)
  process.stderr.write('  What it is redirected to must be writable, and have room.\n')
  process.exitCode = EXIT.environment
}
if (interrupted.signal.aborted) setTimeout(endAtOnce, LEAVE_MS).unref()

/** A terminal that understands more than lines. */
function canRewrite({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY === true && process.env.TERM !== 'dumb'
}

/**
 * By the signal itself, once the listeners of `exit` have run (they end k6): process.exit waits for system calls that are
 * under way, such as opening a pipe that nobody writes to. Shells show 130 for it.
 */
function endAtOnce(): never {
  // The line of what is under way, and the ^C that the terminal wrote into it.
  if (canRewrite(process.stderr)) process.stderr.write('\r\x1b[2K')
  process.on('exit', () => {
    process.removeAllListeners('SIGINT')
    process.kill(process.pid, 'SIGINT')
  })
  process.exit(EXIT.interrupted)
}
