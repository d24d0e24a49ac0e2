import { waitingSchema } from '../../contract/finding.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { Io } from '../io.ts'
import { followLines, followLoad, showProgress } from './show-progress.ts'

/**
 * Shows how far a run of one k6 is, until it is stopped: its rules, its time, what is waited for, and its load. A log gets the
 * last state as well.
 */
export function followRun(
  folder: { file(name: string): string },
  { rules, secondsMax, io }: { rules: number; secondsMax: number; io: Io },
): { stop(): Promise<void> } {
  const startedMs = Date.now()
  const progress = createRuleProgress(rules)
  const findings = followLines(folder.file(RUN_FILES.findings), progress.add)
  const load = followLoad([folder.file(RUN_FILES.series)])
  const seconds = () => Math.round((Date.now() - startedMs) / 1000)
  const shown = showProgress(io, {
    async look() {
      await findings.look()
      await load.look()
    },
    parts: () => [
      progress.text(),
      `${seconds()} s of ${secondsMax} s`,
      progress.waitingText({ startedMs, nowMs: Date.now() }) ?? '',
      ...load.parts(),
    ],
  })
  return {
    async stop() {
      await shown.stop()
      if (!io.terminal.stderr) io.tell(`${progress.text()}; ${seconds()} s`)
    },
  }
}

type RuleProgress = {
  /** A line of findings.ndjson. */
  add(line: string): void
  /** How far they are: `24 of 172 rules, 0 failed`. */
  text(): string
  /** What is waited for: `waits until 75 s for a.b.c and 1 more`, in seconds since the start; undefined where nothing is. */
  waitingText(clock: { startedMs: number; nowMs: number }): string | undefined
}

/** How far the rules of a run are, by its findings. */
export function createRuleProgress(rules: number): RuleProgress {
  const judged = new Set<string>()
  const failed = new Set<string>()
  const waits: { rules: string[]; untilMs: number }[] = []
  return {
    add(line) {
      if (line.startsWith('{"waiting":1')) waits.push(...readWaiting(line))
      if (!line.startsWith('{"finding":1')) return
      const rule = /"rule":"([^"]*)"/.exec(line)?.[1] ?? line
      judged.add(rule)
      if (line.includes('"verdict":"fail"')) failed.add(rule)
    },
    text: () => `${judged.size} of ${rules} rules, ${failed.size} failed`,
    waitingText({ startedMs, nowMs }) {
      const going = waits
        .map(({ untilMs, rules }) => ({ untilMs, rules: rules.filter((rule) => !judged.has(rule)) }))
        .filter(({ untilMs, rules }) => untilMs > nowMs && rules.length > 0)
        .sort((a, b) => b.untilMs - a.untilMs)
      const [last] = going
      if (last === undefined) return undefined
      const seconds = Math.round((last.untilMs - startedMs) / 1000)
      return `waits until ${seconds} s for ${someOf(going.flatMap((one) => one.rules))}`
    },
  }
}

function someOf(rules: readonly string[]): string {
  const [first = '', ...others] = new Set(rules)
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

function readWaiting(line: string): { rules: string[]; untilMs: number }[] {
  try {
    return [waitingSchema.parse(JSON.parse(line))]
  } catch {
    // A line that another VU wrote into.
    return []
  }
}
