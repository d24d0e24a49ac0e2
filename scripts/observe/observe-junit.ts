import { type JunitCase, junitText } from '../../reports/junit-text.ts'
import { entryText, timeText } from './entry-text.ts'
import type { Followed, SeenFinding } from './follow-findings.ts'

/** A test case a rule: failed with its findings, passed, or skipped where nothing happened that it could be judged by. */
export function observeJunit(options: {
  followed: Followed
  rules: readonly string[]
  timestamp: string
  /** Whether the user ended it before its time. */
  isInterrupted: boolean
}): string {
  const { followed, rules, timestamp, isInterrupted } = options
  const endedBy = isInterrupted ? 'interrupted' : followed.lost?.message
  const cases = rules.map((rule) => ruleCase(rule, followed))
  const suites = [
    { name: 'rules', timestamp, cases: endedBy === undefined ? cases : [notWhole(endedBy), ...cases] },
  ]
  return junitText({ name: 'breakwater observe', suites })
}

function notWhole(message: string): JunitCase {
  const detail = 'What follows was seen until then.'
  return { className: 'run', name: 'observed to its end', outcome: { element: 'error', message, detail } }
}

function ruleCase(rule: string, { findings, cases, breaches }: Followed): JunitCase {
  const found = findings.filter((finding) => finding.rule === rule)
  const [first] = found
  const common = { className: 'client', name: rule }
  if (first)
    return {
      ...common,
      outcome: { element: 'failure', message: first.observed, detail: found.map(detailOf).join('\n\n') },
    }
  const brokenCount = breaches[rule] ?? 0
  if (brokenCount > 0) {
    const message = `goes on being broken (${brokenCount} more), as told before this began; --all shows it`
    return { ...common, outcome: { element: 'failure', message, detail: message } }
  }
  if ((cases[rule] ?? 0) > 0) return { ...common, outcome: undefined }
  const message = 'nothing happened that it could be judged by'
  return { ...common, outcome: { element: 'skipped', message, detail: message } }
}

function detailOf({ atMs, client, observed, advice, evidence }: SeenFinding): string {
  return [
    `${timeText(atMs)} ${client}`,
    `seen: ${observed}`,
    `do: ${advice}`,
    ...evidence.map(entryText),
  ].join('\n')
}
