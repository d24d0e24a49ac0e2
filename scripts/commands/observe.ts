import { resolve } from 'node:path'
import type { z } from 'zod'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { type JunitCase, junitText } from '../../reports/junit-text.ts'
import { visibleLine } from '../../reports/visible.ts'
import { findingsSchema } from '../../simulator/control/finding-resources.ts'
import { type DutyCounts, judgeDuty } from '../../simulator/observer/findings.ts'
import { type ControlApi, type ControlOptions, openControlApi } from '../control-api.ts'
import { type Io, orInterrupted } from '../io.ts'
import { entryText, timeText } from '../journal-entry-text.ts'
import { openOutputFile } from '../output-file.ts'
import { matchRules } from '../smoke/plan.ts'
import { paintFor, type TerminalPaint } from '../terminal-text.ts'

export type ObserveOptions = ControlOptions & {
  io: Io
  /** Milliseconds; default: until interrupted. */
  duration?: number
  junit?: string
  json?: true
  rules: string
  /** Includes earlier findings. */
  all?: true
  listRules?: true
}

/**
 * Returns 1 if a rule was violated, otherwise 0. Throws a BreakwaterError: usage for a bad option, environment if the stub is
 * unreachable or stops; findings until then are still printed and written.
 */
export async function runObserve(options: ObserveOptions): Promise<ExitCode> {
  const { io, json, junit } = options
  if (options.listRules) return listRules(io, json)
  const rules = matchRules(options.rules, CLIENT_RULES, 'observe')
  const api = await openControlApi(options, io)
  const file =
    junit === undefined
      ? undefined
      : await openOutputFile({ file: resolve(io.cwd, junit), shown: junit, interrupted: io.interrupted })
  try {
    const timestamp = new Date().toISOString()
    const paint = paintFor(io)
    const followed = await followFindings({
      api,
      io,
      durationMs: options.duration,
      from: options.all ? 'start' : 'now',
      onFinding(finding) {
        if (!rules.includes(finding.rule)) return
        for (const line of json ? [JSON.stringify(finding)] : findingText(finding, paint)) io.stdout(line)
      },
    })
    const mine = { ...followed, findings: followed.findings.filter(({ rule }) => rules.includes(rule)) }
    const isInterrupted = io.interrupted.aborted
    file?.write(observeJunit({ followed: mine, rules, timestamp, isInterrupted }))
    file?.finish()
    if (!json) for (const line of [...dutyTable(mine, rules), summary(mine, rules)]) io.stdout(line)
    if (mine.lost !== null) throw mine.lost
    return brokenRules(mine, rules).length > 0 ? EXIT.failed : EXIT.ok
  } finally {
    file?.discard()
  }
}

function listRules(io: Io, json: true | undefined): ExitCode {
  if (json) {
    io.document(JSON.stringify(CLIENT_RULES, null, 2))
    return EXIT.ok
  }
  const width = Math.max(...CLIENT_RULES.map(({ id }) => id.length))
  for (const { id, statement } of CLIENT_RULES) io.stdout(`${id.padEnd(width)}  ${statement}`)
  return EXIT.ok
}

/** Rules that applied to some client, with their counts. */
function dutyTable({ duties }: Followed, rules: readonly string[]): string[] {
  const rows = rules.flatMap((rule) => {
    const counts = getCounts(duties, rule)
    const { situations, handled, violations } = counts
    if (situations + violations === 0) return []
    return [[rule, judgeDuty(counts), ...[situations, handled, violations].map(String)]]
  })
  if (rows.length === 0) return []
  const table = [['rule', 'verdict', 'situations', 'handled', 'violations'], ...rows]
  const widths = table.reduce<number[]>(
    (widest, row) => row.map((c, at) => Math.max(c.length, widest[at] ?? 0)),
    [],
  )
  return table.map((row) =>
    row.map((c, at) => (at < 2 ? c.padEnd(widths[at] ?? 0) : c.padStart(widths[at] ?? 0))).join('  '),
  )
}

function getCounts(duties: Followed['duties'], rule: string): DutyCounts {
  return duties[rule] ?? { situations: 0, handled: 0, violations: 0 }
}

function summary(followed: Followed, rules: readonly string[]): string {
  const { findings, duties } = followed
  const broken = brokenRules(followed, rules)
  const passed = rules.filter(
    (rule) => !broken.includes(rule) && judgeDuty(getCounts(duties, rule)) === 'pass',
  ).length
  const idle = rules.length - broken.length - passed
  const count = `${findings.length} finding${findings.length === 1 ? '' : 's'}`
  const again = broken.filter((broke) => findings.every(({ rule }) => rule !== broke))
  const whichAgain = again.length === 0 ? '' : `; reported before, and still violated: ${again.join(', ')}`
  const ruleCount = `${rules.length} rule${rules.length === 1 ? '' : 's'}`
  return `${count}; ${ruleCount}: ${broken.length} violated, ${passed} passed, ${idle} not exercised${whichAgain}`
}

/** Includes rules that clients keep violating without a new finding. */
function brokenRules({ findings, duties }: Followed, rules: readonly string[]): readonly string[] {
  return rules.filter(
    (id) => getCounts(duties, id).violations > 0 || findings.some(({ rule }) => rule === id),
  )
}

type StubFinding = z.output<typeof findingsSchema>['findings'][number]

type Followed = {
  findings: readonly StubFinding[]
  /** Counts of each rule in that time. Repeated violations of a client count, but make no new finding. */
  duties: Readonly<Record<string, DutyCounts>>
  /** Why it ended early; null at the end of the time or on Ctrl-C. */
  lost: Error | null
}

const POLL_MS = 250
const PAGE = 1000

/** Polls until the time is up or Ctrl-C. `from: 'start'` includes all findings that the stub still has. */
async function followFindings(options: {
  api: ControlApi
  io: Io
  durationMs: number | undefined
  from: 'now' | 'start'
  onFinding: (finding: StubFinding) => void
}): Promise<Followed> {
  const { api, io, durationMs, from, onFinding } = options
  const findings: StubFinding[] = []
  const read = (after: number) =>
    api.call({ method: 'GET', path: `/findings?after=${after}&limit=${PAGE}`, output: findingsSchema })
  const take = async (after: number) => {
    for (let last = after; ; ) {
      const page = await read(last)
      for (const finding of page.findings) {
        findings.push(finding)
        onFinding(finding)
      }
      const newest = page.findings.at(-1)?.number
      if (page.findings.length < PAGE) return { ...page, last: newest ?? last }
      last = newest ?? last
    }
  }

  // Also for 'start', so that a stub that never responded is not taken for one that stopped.
  const initial = await read(Number.MAX_SAFE_INTEGER)
  const before = from === 'now' ? initial : { last: 0, duties: {} }
  let seen: Pick<typeof initial, 'last' | 'duties'> = before
  const endMs = performance.now() + (durationMs ?? Number.POSITIVE_INFINITY)
  let lost: Error | null = null
  try {
    for (;;) {
      seen = await take(seen.last)
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) break
      await orInterrupted(io.interrupted, pause(Math.min(POLL_MS, leftMs)))
    }
  } catch (error) {
    // Findings until then still count.
    if (!io.interrupted.aborted) lost = asLost(error)
  }
  return { findings, duties: subtractCounts(seen.duties, before.duties), lost }
}

function subtractCounts(after: Followed['duties'], before: Followed['duties']): Followed['duties'] {
  const entries = Object.entries(after).map(([rule, now]) => {
    const then = getCounts(before, rule)
    const violations = now.violations - then.violations
    return [
      rule,
      { situations: now.situations - then.situations, handled: now.handled - then.handled, violations },
    ] as const
  })
  return Object.fromEntries(entries)
}

function asLost(error: unknown): Error {
  if (error instanceof BreakwaterError) return error
  throw error
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const EVIDENCE_MAX = 8

function findingText(finding: StubFinding, paint: TerminalPaint): string[] {
  const { atMs, rule, client, observed, advice, evidence } = finding
  const shown = evidence.slice(-EVIDENCE_MAX)
  const left = evidence.length - shown.length
  return [
    `${timeText(atMs)}  ${paint.red(rule)}  ${visibleLine(client)}`,
    `  observed  ${visibleLine(observed)}`,
    `  fix       ${visibleLine(advice)}`,
    ...(left > 0 ? [`  journal   ${left} more entries before`] : []),
    ...shown.map((entry) => `  journal   ${visibleLine(entryText(entry))}`),
  ]
}

/** One test case per rule: failed with its findings, passed if a situation was handled correctly, otherwise skipped. */
function observeJunit(options: {
  followed: Followed
  rules: readonly string[]
  timestamp: string
  isInterrupted: boolean
}): string {
  const { followed, rules, timestamp, isInterrupted } = options
  const endedBy = isInterrupted ? 'interrupted' : followed.lost?.message
  const cases = rules.map((rule) => ruleCase(rule, followed))
  const suites = [
    { name: 'rules', timestamp, cases: endedBy === undefined ? cases : [incompleteCase(endedBy), ...cases] },
  ]
  return junitText({ name: 'breakwater observe', suites })
}

function incompleteCase(message: string): JunitCase {
  const detail = 'The following results cover the time until then.'
  return { className: 'run', name: 'observed to its end', outcome: { element: 'error', message, detail } }
}

function ruleCase(rule: string, { findings, duties }: Followed): JunitCase {
  const found = findings.filter((finding) => finding.rule === rule)
  const [first] = found
  const common = { className: 'client', name: rule }
  if (first)
    return {
      ...common,
      outcome: { element: 'failure', message: first.observed, detail: found.map(formatFinding).join('\n\n') },
    }
  const counts = getCounts(duties, rule)
  if (counts.violations > 0) {
    const message = `still violated (${counts.violations} more), as reported before this command started; --all shows it`
    return { ...common, outcome: { element: 'failure', message, detail: message } }
  }
  if (judgeDuty(counts) === 'pass') return { ...common, outcome: undefined }
  const message =
    counts.situations === 0
      ? 'not exercised by any client'
      : `not exercised to the end: ${counts.situations} situations, none of them handled`
  return { ...common, outcome: { element: 'skipped', message, detail: message } }
}

function formatFinding({ atMs, client, observed, advice, evidence }: StubFinding): string {
  return [
    `${timeText(atMs)} ${client}`,
    `observed: ${observed}`,
    `fix: ${advice}`,
    ...evidence.map(entryText),
  ].join('\n')
}
