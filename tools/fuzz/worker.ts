/** A process that runs many command lines in sequence: most of a command's time is its start. */
import { readFileSync, writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { runCli } from '../../scripts/commands/cli.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { visitLiveView } from './visit-live-view.ts'

export type WorkerRequest = {
  argv: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Sends SIGTERM to the command as soon as it prints, after a visit of its live view, if it has one. */
  isServer: boolean
}

export type WorkerResponse = {
  code: number
  stdout: string
  stderr: string
  peakMb: number
  residentMb: number
}

process.on('message', async (request: WorkerRequest) => {
  // Only this process uses them, and the next case sets all of them again.
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, request.env)
  process.chdir(request.cwd)
  resetPeak()
  const stop = new AbortController()
  const stdout: string[] = []
  const stderr: string[] = []
  const code = await runCli({
    argv: request.argv,
    env: request.env,
    cwd: request.cwd,
    stdout(line) {
      stdout.push(`${line}\n`)
      if (!request.isServer) return
      visitLiveView(line)
        .then((shown) => stdout.push(shown))
        .catch((error: unknown) => stdout.push(`internal error: ${error}\n`))
        .finally(() => stop.abort('SIGTERM'))
    },
    stderr: (text) => stderr.push(text),
    terminal: NO_TERMINAL,
    interrupted: stop.signal,
  })
  await turn()
  const response: WorkerResponse = {
    ...{ code, stdout: stdout.join(''), stderr: stderr.join('') },
    ...{ peakMb: memoryMb('VmHWM'), residentMb: memoryMb('VmRSS') },
  }
  process.send?.(response)
})
process.on('disconnect', () => process.exit())

/** https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html: 5 resets the peak to the current size. */
function resetPeak(): void {
  writeFileSync('/proc/self/clear_refs', '5')
}

function memoryMb(field: string): number {
  const [, kb = '0'] = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kb) / 1024
}
