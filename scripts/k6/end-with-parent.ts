import { spawn } from 'node:child_process'

/** After the end of this process: k6 gets each signal this long after the one before, in seconds, and is gone before 10 s are over. */
const STEP_SECONDS = 3

/** Its input ends with the process that holds the other end, however that ended. */
const SCRIPT =
  'read -r line; for signal in INT TERM KILL; do kill -s "$signal" "$1" || exit 0; sleep "$2"; done'

/**
 * Ends a process, with SIGINT first, if this process is killed outright and so cannot end it itself. Returns the end of the watch, for
 * when that process has ended. Does nothing on a system without sh.
 */
export function endWithParent(pid: number, { stepSeconds = STEP_SECONDS } = {}): () => void {
  const watcher = spawn('sh', ['-c', SCRIPT, 'sh', String(pid), String(stepSeconds)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Neither Ctrl-C nor the end of a process group may reach it first.
    detached: true,
  })
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}
