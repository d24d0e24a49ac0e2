/** The only file of the command line that touches the process: hands its parts to the commands, and ends it. */
import { runCli } from './cli.ts'

const interrupted = new AbortController()
let interrupts = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupts++
    interrupted.abort()
    if (interrupts > 2) process.exit(130)
  })
}
// A pipe closed by its reader (`| head`) ends the output, not the work.
process.stdout.on('error', () => {})

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  stdout: (line) => process.stdout.write(`${line}\n`),
  stderr: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  interrupted: interrupted.signal,
})
