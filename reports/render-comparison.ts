import path from 'node:path'
import type { Comparison } from '../contract/comparison.ts'
import { RUN_FILES } from '../contract/run.ts'
import {
  comparisonSentence,
  figureCells,
  measuredRows,
  methodText,
  placeText,
  sideText,
  unmeasuredLines,
  untilSureLines,
} from './compare/comparison-text.ts'
import { renderComparisonHtml } from './html/render-comparison.ts'
import { writeWhole } from './run-file.ts'
import { escapeMarkdown, markdownTable } from './visible.ts'

type Renderer = { file: string; render: (comparison: Comparison) => string }

export const COMPARISON_RENDERERS: Readonly<Record<'html' | 'json' | 'md', Renderer>> = {
  html: { file: RUN_FILES.comparisonHtml, render: renderComparisonHtml },
  json: {
    file: RUN_FILES.comparisonJson,
    render: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  },
  md: { file: RUN_FILES.comparisonMd, render: renderComparisonMd },
}

/** Writes all formats into a folder. Throws a BreakwaterError (environment) if it cannot be written. */
export async function writeComparison(dir: string, comparison: Comparison): Promise<void> {
  const files = Object.values(COMPARISON_RENDERERS).map(({ file, render }) => ({
    file: path.join(dir, file),
    text: render(comparison),
  }))
  for (const { file, text } of files) await writeWhole(file, text)
}

function renderComparisonMd(comparison: Comparison): string {
  const { a, b, notes, verdict } = comparison
  const rows = measuredRows(comparison)
  const plain = (text: string) => escapeMarkdown(text, 500)
  const sections = [
    [`# Breakwater compare: ${verdict}`],
    [plain(`${comparisonSentence(comparison)}.`)],
    untilSureLines(comparison).map((line) => `${plain(line)}  `),
    [`- A: ${plain(a.label)}, ${sideText(a)}`, `- B: ${plain(b.label)}, ${sideText(b)}`],
    rows.length === 0
      ? []
      : markdownTable(
          ['where', 'metric', 'A:', 'B:', 'change:', '95 % interval:', 'verdict'],
          rows.map((row) => [placeText(row), ...figureCells(row)]),
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
