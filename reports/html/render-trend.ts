import { getAxisSuffix } from '../../contract/capacity.ts'
import type { Trend, TrendPoint } from '../../contract/trend.ts'
import { figure, percent } from '../objective-text.ts'
import { changeText, groupText, isRegression, shiftText } from '../trend/trend-text.ts'
import { cell, html, type Markup, pageStyles, readText, selfContainedPage, table } from './markup.ts'

/** The page of a run history: a chart, the changes and all runs of each group. Needs no script. */
export function renderTrendHtml(trends: readonly Trend[]): string {
  const worse = trends.filter((trend) => isRegression(trend, undefined)).length
  const isJudged = trends.some(({ note }) => note === null)
  return selfContainedPage({
    title: 'Trend: breakwater',
    styles: [...pageStyles(), trendStyle()],
    scripts: [],
    body: html`<header class="${worse > 0 ? 'fail' : isJudged ? 'pass' : 'inconclusive'}">
<p class="kind">Breakwater trend</p>
<h1>${worse > 0 ? `${worse} of ${trends.length} groups of runs became worse` : isJudged ? 'No regression' : 'Not judged'}</h1>
<p>Runs are compared only with runs of the same job, target, mix, rate, seed, machine and versions, and searches only with those of the same axis and objectives.</p>
</header>
<main id="main" class="trend">
${trends.map(trendSection)}
</main>`,
  })
}

export function trendStyle(): string {
  return readText(new URL('trend.css', import.meta.url))
}

function trendSection(trend: Trend, place: number): Markup {
  const id = `trend-${place + 1}`
  return html`<section aria-labelledby="${id}">
<h2 id="${id}"><bdi>${groupText(trend.group)}</bdi></h2>
${trend.note === null ? html`` : html`<p class="remark">Not judged: ${trend.note}.</p>`}
${trendChart(trend)}
${changesPart(trend)}
<details><summary>${trend.points.length} runs</summary>
${runsTable(trend)}
</details>
</section>
`
}

export function changesPart({ changes, points, group, note }: Trend): Markup {
  if (changes.length === 0) return note === null ? html`<p>No change was found.</p>` : html``
  return html`<ul>${changes.map((change) => html`<li><bdi>${changeText({ points, group }, change)}</bdi></li>`)}</ul>
<p class="quiet">A change is confirmed once at least three runs followed it and chance is ruled out. Until then it is a candidate: one strange run is no change.</p>`
}

const WIDTH = 960
const HEIGHT = 260
const EDGE = { left: 56, right: 12, top: 12, bottom: 24 }

type Line = { name: 'p50' | 'p95' | 'p99' | 'capacity'; values: (number | null)[] }

function listLines(points: readonly TrendPoint[]): Line[] {
  const names = points.some(({ capacity }) => capacity !== null)
    ? (['capacity'] as const)
    : (['p50', 'p95', 'p99'] as const)
  return names.map((name) => ({ name, values: points.map((point) => point[name]) }))
}

/** Runs in order at equal distances; values on a logarithmic scale. `ownRun` is the id of a run with larger circles. */
export function trendChart({ points, changes, group }: Trend, { ownRun }: { ownRun?: string } = {}): Markup {
  const lines = listLines(points)
  const values = lines.flatMap((line) =>
    line.values.flatMap((value) => (value !== null && value > 0 ? value : [])),
  )
  if (values.length === 0) return html``
  const [low, high] = [Math.min(...values) / 1.1, Math.max(...values) * 1.1]
  const x = (at: number) => EDGE.left + ((WIDTH - EDGE.left - EDGE.right) * (at + 0.5)) / points.length
  const y = (value: number) =>
    EDGE.top + ((HEIGHT - EDGE.top - EDGE.bottom) * Math.log(high / value)) / Math.log(high / low)
  const unit = lines[0]?.name === 'capacity' ? getAxisSuffix(group.axis ?? undefined) : ' ms'
  const marks = [low * 1.1, Math.sqrt(low * high), high / 1.1]
  return html`<figure class="chart-figure">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${lines.map(({ name }) => name).join(', ')} of each run, in order of time">
${marks.map(
  (
    mark,
  ) => html`<line class="grid" x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(mark)}" y2="${y(mark)}"/>
<text x="4" y="${y(mark) + 4}">${figure(mark)}${unit}</text>
`,
)}
${changes.map(({ at, direction, isConfirmed, shifts }) => {
  const place = (x(at - 1) + x(at)) / 2
  return html`<line class="change ${direction}${isConfirmed ? '' : ' candidate'}" x1="${place}" x2="${place}" y1="${EDGE.top}" y2="${HEIGHT - EDGE.bottom}"><title>${shifts.map((shift) => shiftText(shift, group)).join(', ')}</title></line>
`
})}
${lines.map(({ name, values: of }) => {
  const shown = of.flatMap((value, at) => (value !== null && value > 0 ? [{ at, value }] : []))
  return html`<polyline class="${name}" points="${shown.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>
${shown.map(({ at, value }) => {
  const { id, release } = points[at] ?? { id: '', release: null }
  return html`<circle class="${name}" cx="${x(at).toFixed(1)}" cy="${y(value).toFixed(1)}" r="${id === ownRun ? 5 : 2}"><title>${name} ${figure(value)}${unit}, ${release ?? id}</title></circle>`
})}
`
})}
<text x="${EDGE.left}" y="${HEIGHT - 6}">${lines.map(({ name }) => name).join(', ')}: from bottom to top; a vertical line is a change, a dashed one a candidate</text>
</svg>
</figure>`
}

function runsTable({ points, group }: Pick<Trend, 'points' | 'group'>): Markup {
  return table({
    kind: 'rules',
    caption: 'All runs of this group, newest first',
    columns: ['Run', 'Started', 'Release', 'p50', 'p95', 'p99', 'Failed', 'Capacity'],
    rows: points.toReversed().map(
      (point) => html`<tr>
<th scope="row"><bdi>${point.id}</bdi></th>
${cell('Started', point.startedAt)}
${cell('Release', html`<bdi>${point.release ?? point.commit ?? '-'}</bdi>`)}
${cell('p50', latency(point.p50))}
${cell('p95', latency(point.p95))}
${cell('p99', latency(point.p99))}
${cell('Failed', percent(point.failedShare))}
${cell('Capacity', point.capacity === null ? '-' : `${figure(point.capacity)}${getAxisSuffix(group.axis ?? undefined)}`)}
</tr>
`,
    ),
  })
}

function latency(value: number | null): string {
  return value === null ? '-' : `${figure(value)} ms`
}
