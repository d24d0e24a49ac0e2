import type { Comparison, ComparisonVerdict, Difference } from '../../contract/comparison.ts'
import {
  changeText,
  comparisonSentence,
  intervalText,
  inUnit,
  METRIC_NAMES,
  measuredRows,
  methodText,
  placeText,
  sideText,
  unmeasuredLines,
  untilSureLines,
  valueText,
} from '../compare/comparison-text.ts'
import { html, type Markup, pageStyles, readText, selfContainedPage } from './markup.ts'

/** A comparison as one HTML file without scripts or network access. */
export function renderComparisonHtml(comparison: Comparison): string {
  const { a, b, verdict } = comparison
  return selfContainedPage({
    title: `${verdict}: ${b.label} compared with ${a.label}`,
    styles: [...pageStyles(), readText(new URL('comparison.css', import.meta.url))],
    scripts: [],
    body: html`<header class="${CLASS[verdict]}">
<p class="kind">Breakwater compare</p>
<h1>${badge(verdict)}</h1>
<p>${comparisonSentence(comparison)}.</p>
${untilSureLines(comparison).map((line) => html`<p><bdi>${line}</bdi></p>`)}
<dl>${sideFacts('A', a)}${sideFacts('B', b)}</dl>
</header>
<main id="main">
${differencesSection(comparison)}
${unmeasuredSection(comparison)}
${runsSection(comparison)}
</main>`,
  })
}

const CLASS: Readonly<Record<ComparisonVerdict, string>> = {
  worse: 'fail',
  better: 'pass',
  'no significant difference': 'skipped',
  'not comparable': 'inconclusive',
}

const SIGNS: Readonly<Record<ComparisonVerdict, string>> = {
  worse: '✗',
  better: '✓',
  'no significant difference': '–',
  'not comparable': '?',
}

function badge(verdict: ComparisonVerdict): Markup {
  return html`<span class="badge ${CLASS[verdict]}"><span aria-hidden="true">${SIGNS[verdict]}</span> ${verdict}</span>`
}

function sideFacts(letter: string, side: Comparison['a']): Markup {
  return html`<div><dt>${letter}</dt><dd><bdi>${side.label}</bdi><br><span class="quiet">${sideText(side)}</span></dd></div>`
}

function differencesSection(comparison: Comparison): Markup {
  const rows = measuredRows(comparison)
  if (rows.length === 0) return html``
  const scale = plotScale(rows)
  return html`<section aria-labelledby="differences">
<h2 id="differences">Differences</h2>
<p class="quiet">${methodText(comparison)}</p>
<table class="differences">
<thead><tr><th>Verdict</th><th>Where</th><th>A</th><th>B</th><th>Change</th><th>95 % interval</th><th>${scale.text}</th></tr></thead>
<tbody>
${rows.map(
  (row) => html`<tr>
<td>${badge(row.verdict)}</td>
<td><bdi>${placeText(row)}</bdi> <strong>${METRIC_NAMES[row.metric]}</strong><p class="quiet"><bdi>${row.reason}</bdi></p></td>
${cell('A', valueText(row.a, row), runsText(row.a, row))}
${cell('B', valueText(row.b, row), runsText(row.b, row))}
${cell('Change', changeText(row), '')}
${cell('95 % interval', intervalText(row), '')}
<td class="plot">${intervalPlot(row, scale)}</td>
</tr>
`,
)}</tbody>
</table>
</section>`
}

function cell(label: string, text: string, title: string): Markup {
  return html`<td class="number" data-label="${label}" title="${title}">${text}</td>`
}

function runsText(side: Difference['a'], { unit }: Difference): string {
  return side === null ? '' : `runs: ${side.runs.map((value) => inUnit(value, unit)).join(', ')}`
}

function unmeasuredSection(comparison: Comparison): Markup {
  const lines = unmeasuredLines(comparison)
  if (lines.length === 0) return html``
  return html`<section aria-labelledby="unmeasured"><h2 id="unmeasured">Not measured on both sides</h2>
<ul>${lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}</ul></section>`
}

function runsSection({ a, b, notes }: Comparison): Markup {
  const sides = [['A', a] as const, ['B', b] as const]
  return html`<section aria-labelledby="runs">
${notes.length === 0 ? html`` : html`<h2 id="notes">Notes</h2><ul>${notes.map((note) => html`<li><bdi>${note}</bdi></li>`)}</ul>`}
<h2 id="runs">Runs</h2>
${sides.map(
  ([letter, { facts, runs }]) => html`<h3>${letter}</h3>
<dl>${facts.map(({ name, value }) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>
<table><thead><tr><th>Run</th><th>Started</th><th>Judged</th><th>Requests</th></tr></thead>
<tbody>${runs.map(
    (run) => html`<tr><td><bdi>${run.dir}</bdi></td><td data-label="Started">${run.startedAt}</td>
<td data-label="Judged">${run.seconds} s</td><td data-label="Requests">${run.requests}</td></tr>
`,
  )}</tbody></table>
`,
)}</section>`
}

/** From -max to +max: shares of A, or points if the metric is a share. */
type PlotScale = { max: number; text: string }

/** Limits of the scale: wide enough for visible differences; wider intervals are clipped. */
const MAX_LEAST = 0.1
const MAX_MOST = 0.5

function plotScale(rows: readonly Difference[]): PlotScale {
  const ends = rows.flatMap((row) => {
    const shown = selectChange(row)
    return shown === undefined ? [] : [Math.abs(shown.low), Math.abs(shown.high)]
  })
  const max = Math.min(MAX_MOST, Math.max(MAX_LEAST, Math.ceil(Math.max(0, ...ends) * 10) / 10))
  return { max, text: `−${max * 100} % to +${max * 100} %` }
}

/** The interval as a line, the difference as a dot, zero in the middle. Values off the scale end at its edge. */
function intervalPlot(row: Difference, { max }: PlotScale): Markup {
  const shown = selectChange(row)
  if (shown === undefined) return html``
  const at = (change: number) => `${(50 + 50 * Math.max(-1, Math.min(1, change / max))).toFixed(2)}%`
  const width = Math.min(max, shown.high) - Math.max(-max, shown.low)
  return html`<svg class="interval ${row.verdict.replaceAll(' ', '-')}" width="100%" height="14" aria-hidden="true">
<line class="none" x1="50%" x2="50%" y1="0" y2="14"/>
${width > 0 ? html`<line class="range" x1="${at(shown.low)}" x2="${at(shown.high)}" y1="7" y2="7"/>` : html``}
<circle cx="${at(shown.change)}" cy="7" r="3.5"/></svg>`
}

function selectChange(row: Difference): { low: number; high: number; change: number } | undefined {
  const ends = row.unit === 'share' ? row.interval : row.relativeInterval
  const change = row.unit === 'share' ? row.difference : row.relativeDifference
  return ends === null || change === null ? undefined : { ...ends, change }
}
