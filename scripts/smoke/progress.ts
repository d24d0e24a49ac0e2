import { readFile } from 'node:fs/promises'
import { waitingSchema } from '../../contract/finding.ts'
import type { Io } from '../io.ts'

const LOOK_MS = 500
/** How often a line goes to a log that nobody watches. */
const LOG_LINE_MS = 10_000

/** Tells how far the probes are: one line that changes on a terminal, a plain line now and then elsewhere. */
export function followFindings(options: { file: string; rules: number; io: Io }): { stop(): Promise<void> } {
  const { file, rules, io } = options
  const startedMs = Date.now()
  let toldMs = Number.NEGATIVE_INFINITY
  const tell = async (last: 'last' | 'more') => {
    const text = await readFile(file, 'utf8').catch(() => '')
    const line = progressLine(text, { rules, startedMs, nowMs: Date.now() })
    if (io.isTerminal) io.stderr(`\r\x1b[2K${last === 'last' ? '' : line}`)
    else if (last === 'last' || (!line.startsWith('probing: 0 ') && Date.now() - toldMs >= LOG_LINE_MS)) {
      toldMs = Date.now()
      io.stderr(`${line}\n`)
    }
  }
  const tellInterrupted = () => {
    io.stderr(
      `${io.isTerminal ? '\r\x1b[2K' : ''}interrupted: writing the report; Ctrl-C again ends at once\n`,
    )
  }
  io.interrupted.addEventListener('abort', tellInterrupted)
  io.stderr(io.isTerminal ? '' : `probing ${rules} rules\n`)
  const timer = setInterval(() => void tell('more'), LOOK_MS)
  return {
    async stop() {
      clearInterval(timer)
      io.interrupted.removeEventListener('abort', tellInterrupted)
      await tell('last')
    },
  }
}

/** How far the findings have come, and what is waited for. */
export function progressLine(
  findings: string,
  { rules, startedMs, nowMs }: { rules: number; startedMs: number; nowMs: number },
): string {
  const lines = findings.split('\n')
  const judged = new Set<string>()
  const failed = new Set<string>()
  for (const line of lines.filter((one) => one.startsWith('{"finding":1'))) {
    const rule = /"rule":"([^"]*)"/.exec(line)?.[1] ?? line
    judged.add(rule)
    if (line.includes('"verdict":"fail"')) failed.add(rule)
  }
  const since = (ms: number) => Math.round((ms - startedMs) / 1000)
  const waits = lines
    .flatMap(readWaiting)
    .filter(({ untilMs }) => untilMs > nowMs)
    .map(({ untilMs, rules }) => ({ untilMs, rules: rules.filter((rule) => !judged.has(rule)) }))
    .filter(({ rules }) => rules.length > 0)
    .sort((a, b) => b.untilMs - a.untilMs)
  const last = waits[0]
  const waiting = last
    ? `; waits until ${since(last.untilMs)} s for ${someOf(waits.flatMap((one) => one.rules))}`
    : ''
  return `probing: ${judged.size} of ${rules} rules judged, ${failed.size} failed, ${since(nowMs)} s${waiting}`
}

function someOf(rules: readonly string[]): string {
  const [first = '', ...others] = new Set(rules)
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

function readWaiting(line: string): { rules: string[]; untilMs: number }[] {
  if (!line.startsWith('{"waiting":1')) return []
  try {
    const { rules, untilMs } = waitingSchema.parse(JSON.parse(line))
    return [{ rules, untilMs }]
  } catch {
    // A line that is still being written.
    return []
  }
}
