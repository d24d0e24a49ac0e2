import type { Comparison } from '../../contract/comparison.ts'
import { escapeMarkdown, markdownTable } from '../markdown-text.ts'
import {
  changeText,
  comparisonSentence,
  intervalText,
  METRIC_NAMES,
  measuredRows,
  methodText,
  placeText,
  sideText,
  unmeasuredLines,
  valueText,
} from './comparison-text.ts'

/** A comparison as Markdown, short enough for a pull request. */
export function renderComparisonMd(comparison: Comparison): string {
  const { a, b, notes, verdict } = comparison
  const rows = measuredRows(comparison)
  const plain = (text: string) => escapeMarkdown(text, 500)
  const sections = [
    [`# Breakwater compare: ${verdict}`],
    [plain(`${comparisonSentence(comparison)}.`)],
    [`- A: ${plain(a.label)}, ${sideText(a)}`, `- B: ${plain(b.label)}, ${sideText(b)}`],
    rows.length === 0
      ? []
      : markdownTable(
          ['where', 'metric', 'A:', 'B:', 'change:', '95 % interval:', 'verdict'],
          rows.map((row) => [
            placeText(row),
            METRIC_NAMES[row.metric],
            valueText(row.a, row),
            valueText(row.b, row),
            changeText(row),
            intervalText(row),
            row.verdict,
          ]),
        ),
    unmeasuredLines(comparison).map((line) => `- not comparable: ${plain(line)}`),
    notes.map((note) => `> ${plain(note)}  `),
    rows.some(({ interval }) => interval !== null) ? [plain(methodText(comparison))] : [],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}
