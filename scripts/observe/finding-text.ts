import { visibleLine } from '../../reports/visible.ts'
import type { TerminalPaint } from '../paint.ts'
import { entryText, timeText } from './entry-text.ts'
import type { SeenFinding } from './follow-findings.ts'

const EVIDENCE_MAX = 8

/** A finding for people: when, which rule, who, what was seen, what to do, and what of the journal shows it. */
export function findingText(finding: SeenFinding, paint: TerminalPaint): string[] {
  const { atMs, rule, client, observed, advice, evidence } = finding
  const shown = evidence.slice(-EVIDENCE_MAX)
  const left = evidence.length - shown.length
  return [
    `${timeText(atMs)}  ${paint.red(rule)}  ${visibleLine(client)}`,
    `  seen     ${visibleLine(observed)}`,
    `  do       ${visibleLine(advice)}`,
    ...(left > 0 ? [`  journal  ${left} more entries before`] : []),
    ...shown.map((entry) => `  journal  ${visibleLine(entryText(entry))}`),
  ]
}
