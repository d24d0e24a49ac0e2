import { type JunitCase, junitText } from '../../reports/junit-text.ts'
import { entryText, timeText } from './entry-text.ts'
import type { Followed, SeenFinding } from './follow-findings.ts'

/** A test case a rule: failed with its findings, passed, or skipped where nothing happened that it could be judged by. */
export function observeJunit(options: {
  followed: Followed
  rules: readonly string[]
  timestamp: string
  /** Whether it went on for as long as it was to. */
  isWhole: boolean
}): string {
  const { followed, rules, timestamp, isWhole } = options
  const cases = rules.map((rule) => ruleCase(rule, followed))
  const suites = [{ name: 'rules', timestamp, cases: isWhole ? cases : [INTERRUPTED, ...cases] }]
  return junitText({ name: 'breakwater observe', suites })
}

const INTERRUPTED: JunitCase = {
  className: 'run',
  name: 'observed to its end',
  outcome: { element: 'error', message: 'interrupted', detail: 'What follows was seen until then.' },
}

function ruleCase(rule: string, { findings, cases }: Followed): JunitCase {
  const found = findings.filter((finding) => finding.rule === rule)
  const [first] = found
  const common = { className: 'client', name: rule }
  if (first)
    return {
      ...common,
      outcome: { element: 'failure', message: first.observed, detail: found.map(detailOf).join('\n\n') },
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
