import type { LatencyMs, Report, RouteLatency } from '../../../contract/report.ts'
import { focusText } from '../../capacity/trials.ts'
import { figure, percent } from '../../objective-text.ts'
import type { Course } from '../../series/course.ts'
import { ALL_ROUTES } from '../../series/tally.ts'
import { type RequestWindow, type Span, secondsCovered, type Windows, widened } from '../../series/windows.ts'
import { BUCKETS_PER_OCTAVE, createHistogram, type Histogram, mergeInto } from '../../statistics/histogram.ts'
import { getMax, samplesNeeded, supportedQuantile } from '../../statistics/quantiles.ts'
import type { ChartData } from '../chart-data.ts'
import { chartGists, clockText } from '../chart-gists.ts'
import { computeStart, groupCourses } from '../chart-lines.ts'
import { cell, chartFigure, html, type Markup, table, trusted } from '../markup.ts'

const ROUTES_SHOWN_MAX = 60
const TRACES_SHOWN_MAX = 30
const QUANTILES = ['p50', 'p95', 'p99'] as const

export function latencySection(options: {
  report: Pick<Report, 'latency' | 'generator' | 'capacity' | 'traces'>
  course: Course
  charts: ChartData | undefined
}): Markup {
  const { report, course, charts } = options
  const { latency, generator, capacity } = report
  if (generator.requests === 0) {
    return html`<section aria-labelledby="latency"><h2 id="latency">Latency</h2><p>No request was measured.</p></section>`
  }
  const busiest = latency.routes.toSorted((a, b) => b.count - a.count).slice(0, ROUTES_SHOWN_MAX)
  const shown = latency.routes.filter((route) => busiest.includes(route))
  const scaleMs = Math.max(...shown.flatMap((route) => QUANTILES.map((name) => finite(route[name]))))
  const groups = latency.groups.map((group) => ({
    ...group,
    name: group.routeGroup === '*' ? 'all requests' : '',
  }))
  return html`<section aria-labelledby="latency">
<h2 id="latency">Latency over time</h2>
${charts === undefined ? html`` : courseSection(course, charts)}
<h3>Latency by route <span class="quiet">${focusText(capacity) ?? ''}</span></h3>
${dueText(latency.groups[0])}
<p class="quiet">Bars: <span class="key p50"></span> p50 <span class="key p95"></span> p95 <span class="key p99"></span> p99. A percentile needs
enough requests: ${samplesNeeded(0.5)} for p50, ${samplesNeeded(0.95)} for p95,
${samplesNeeded(0.99)} for p99. Milliseconds.</p>
<table class="routes">
<thead><tr><th>Route</th><th>Requests</th><th>Failed</th><th>p50</th><th>p95</th><th>p99</th><th>max</th><th>Response p95</th><th>Late p99</th></tr></thead>
${renderBody(groups.slice(0, 1), scaleMs)}
${latency.groups.slice(1).map(({ routeGroup }) =>
  renderBody(
    shown.filter((route) => route.routeGroup === routeGroup),
    scaleMs,
  ),
)}
</table>
${latency.routes.length > shown.length ? html`<p class="quiet">The ${shown.length} busiest of ${latency.routes.length} routes; report.json lists all.</p>` : html``}
${tracesTable(report.traces)}
</section>`
}

/** Says how far the measure of the table is from the one that most tools show. */
function dueText(all: Omit<RouteLatency, 'name'> | undefined): Markup {
  if (all === undefined) return html``
  const { responseTime, lateness } = all
  const late =
    lateness === null
      ? 'No client arrived at a planned time, so it adds only the wait for a connection.'
      : `Clients arrived at planned times; the load generator sent their first requests ${milliseconds(lateness.p50)} ms late at p50, ${milliseconds(lateness.p95)} at p95 and ${milliseconds(lateness.p99)} at p99.`
  return html`<p>Latency counts from when a request was due, not from when it was sent. ${late} From when requests were sent,
p95 is ${milliseconds(responseTime.p95)} ms instead of ${milliseconds(all.p95)}, and p99 ${milliseconds(responseTime.p99)} ms instead of ${milliseconds(all.p99)}.</p>`
}

function renderBody(routes: readonly RouteLatency[], scaleMs: number): Markup {
  return html`<tbody>${routes.map((route) => routeRow(route, scaleMs))}</tbody>`
}

function routeRow(route: RouteLatency, scaleMs: number): Markup {
  const cell = (label: string, text: string) => html`<td class="number" data-label="${label}">${text}</td>`
  return html`<tr>
<td><bdi>${route.name}</bdi> ${route.routeGroup === '*' ? html`` : html`<span class="quiet"><bdi>${route.routeGroup}</bdi></span>`}${bars(route, scaleMs)}</td>
${cell('Requests', String(route.count))}${cell('Failed', String(route.failed))}
${QUANTILES.map((name) => cell(name, milliseconds(route[name])))}${cell('max', milliseconds(route.max))}
${cell('Response p95', milliseconds(route.responseTime.p95))}${cell('Late p99', milliseconds(route.lateness?.p99 ?? null))}
</tr>
`
}

/** The longest bar first: shorter ones are drawn over it. */
function bars(route: RouteLatency, scaleMs: number): Markup {
  const bar = (name: (typeof QUANTILES)[number]) =>
    html`<rect class="${name}" width="${((finite(route[name]) / scaleMs) * 100).toFixed(2)}%" height="8"/>`
  const drawn = QUANTILES.toReversed().filter((name) => finite(route[name]) > 0)
  if (drawn.length === 0) return trusted('')
  return html`<svg class="bars" width="100%" height="8" aria-hidden="true">${drawn.map(bar)}</svg>`
}

function finite(latencyMs: LatencyMs): number {
  return typeof latencyMs === 'number' ? latencyMs : 0
}

/**
 * Charts over the time of a run, each with its caption and a table with the same data. Texts of a group of routes
 * have its index in `data-group`: browser/charts.js shows those of the selected group.
 */
function courseSection(course: Course, charts: ChartData): Markup {
  const groups = groupCourses(course).map((group, place) => {
    const { rows, latency } = courseRows(group.windows, course)
    const drawn = charts.groups[place]
    return { ...group, place, rows, latency, gists: drawn && chartGists(drawn, latency) }
  })
  const ofEach = (part: (group: (typeof groups)[number]) => Markup) =>
    groups.map(
      (group) => html`<div data-group="${group.place}"${hiddenBut(group.place)}>${part(group)}</div>`,
    )
  const gists = (chart: 'latency' | 'heat' | 'rate') =>
    ofEach(({ gists }) => html`<p>${gists?.[chart] ?? ''}</p>`)
  return html`${groupChoice(groups.map(({ name }) => name))}
${chartFigure({
  id: 'latency-chart',
  title: 'Latency over time',
  caption: html`${gists('latency')}<p id="chart-caption"></p><p class="screen-only">Click a name to show or hide its line. Use the arrow keys to move along a focused chart. Drag across a chart to zoom in; double-click to zoom out.</p>${trialsText(charts)}`,
})}
<h3>Latency distribution</h3>
${chartFigure({
  id: 'heat-chart',
  title: 'Latency distribution over time',
  caption: html`${gists('heat')}<p>A stronger color means more requests. The latency axis is logarithmic.</p>`,
})}
<details><summary>Latency distribution as a table</summary>${ofEach(({ latency }) => framed(rangesTable(latency)))}</details>
<h3>Requests and errors per second</h3>
${chartFigure({ id: 'rate-chart', title: 'Requests and errors per second', caption: html`${gists('rate')}` })}
<details><summary>Latency, requests and errors over time as a table</summary>${ofEach(({ rows, name }) => framed(courseTable(rows, name)))}</details>`
}

function hiddenBut(place: number): Markup {
  return place === 0 ? html`` : html` hidden`
}

/** browser/charts.js shows it; without scripts it would do nothing. */
function groupChoice(names: readonly string[]): Markup {
  if (names.length < 2) return html``
  const option = (name: string, place: number) =>
    html`<option value="${place}">${name === ALL_ROUTES ? 'all requests' : name}</option>`
  return html`<p class="group-choice" hidden><label for="group">Show</label> <select id="group" autocomplete="off">${names.map(option)}</select></p>`
}

function trialsText({ trials }: ChartData): Markup {
  return trials.length === 0
    ? html``
    : html`<p>Shading marks the judged part of each trial; the color shows its result.</p>`
}

/** Scrolls sideways on narrow pages, with keys too. */
function framed(table: Markup): Markup {
  return html`<div class="frame" tabindex="0" role="group" aria-label="Table">${table}</div>`
}

function courseTable(rows: readonly CourseRow[], name: string): Markup {
  const dropped = name === ALL_ROUTES
  const columns: readonly (readonly [heading: string, text: (row: CourseRow) => string])[] = [
    ['Requests/s', (row) => figure(row.requestsPerSecond)],
    ['Failed', (row) => String(row.failed)],
    ...(dropped ? [['Dropped', (row: CourseRow) => String(row.dropped)] as const] : []),
    ['p50', (row) => milliseconds(row.p50)],
    ['p95', (row) => milliseconds(row.p95)],
    ['p99', (row) => milliseconds(row.p99)],
    ['max', (row) => milliseconds(row.max)],
  ]
  return table({
    kind: 'figures-table',
    caption: 'Requests over time; latency in milliseconds',
    columns: ['Time', ...columns.map(([heading]) => heading)],
    rows: rows.map(
      (row) => html`<tr><th scope="row">${clockText(row.from)} to ${clockText(row.to)}</th>${columns.map(
        ([heading, text]) => cell(heading, text(row), 'number'),
      )}</tr>
`,
    ),
  })
}

function rangesTable(latency: Histogram): Markup {
  return table({
    kind: 'figures-table',
    caption: 'Latency distribution',
    columns: ['Latency', 'Requests', 'Share'],
    rows: latencyRanges(latency).map(
      ({
        aboveMs,
        toMs,
        count,
      }) => html`<tr><th scope="row">${figure(aboveMs)} to ${figure(toMs)} ms</th>${cell('Requests', String(count), 'number')}${cell('Share', percent(count / latency.count), 'number')}</tr>
`,
    ),
  })
}

/** A dash if too few samples support a percentile. */
function milliseconds(latencyMs: LatencyMs): string {
  if (latencyMs === null) return '–'
  return latencyMs === 'infinite' ? '∞' : figure(latencyMs)
}

/** Counts latencies in (aboveMs, toMs]. */
type LatencyRange = { aboveMs: number; toMs: number; count: number }

/** Ranges that double, from the shortest latency to the longest. Latencies of 0 and infinity are in none. */
export function latencyRanges({ positive }: Histogram): LatencyRange[] {
  const counts = new Map<number, number>()
  for (const [position, samples] of positive.counts.entries()) {
    if (samples === 0) continue
    const octave = Math.floor((positive.first + position) / BUCKETS_PER_OCTAVE)
    counts.set(octave, (counts.get(octave) ?? 0) + samples)
  }
  const octaves = [...counts.keys()]
  if (octaves.length === 0) return []
  const lowest = Math.min(...octaves)
  return Array.from({ length: Math.max(...octaves) - lowest + 1 }, (_, place) => {
    const octave = lowest + place
    return { aboveMs: 2 ** octave, toMs: 2 ** (octave + 1), count: counts.get(octave) ?? 0 }
  })
}

/** A part of a run, for the table below its charts. Times in seconds since the first one with data. */
type CourseRow = {
  from: number
  to: number
  requestsPerSecond: number
  failed: number
  dropped: number
  p50: LatencyMs
  p95: LatencyMs
  p99: LatencyMs
  max: LatencyMs
}

/** Few enough rows to be read aloud. */
const ROWS_MAX = 12

/** Splits the run into rows of equal duration; also returns the latencies of the whole run. */
export function courseRows(
  windows: Windows<RequestWindow>,
  span: Span,
): { rows: CourseRow[]; latency: Histogram } {
  const coarse = coarseWindows(windows)
  const latency = createHistogram()
  for (const window of coarse.byIndex.values()) mergeInto(latency, window.latency)
  const rows = [...coarse.byIndex]
    .sort(([a], [b]) => a - b)
    .map(([index, window]): CourseRow => {
      const from = computeStart(index, coarse.seconds, span)
      const seconds = secondsCovered(coarse.seconds, index, span)
      return {
        from,
        to: from + seconds,
        requestsPerSecond: window.requests / seconds,
        failed: window.failed,
        dropped: window.dropped,
        p50: supportedQuantile(window.latency, 0.5),
        p95: supportedQuantile(window.latency, 0.95),
        p99: supportedQuantile(window.latency, 0.99),
        max: getMax(window.latency),
      }
    })
  return { rows, latency }
}

function coarseWindows(windows: Windows<RequestWindow>): Windows<RequestWindow> {
  const indexes = [...windows.byIndex.keys()]
  let factor = 1
  while (new Set(indexes.map((index) => Math.floor(index / factor))).size > ROWS_MAX) factor *= 2
  return widened(windows, factor)
}

/** The slowest traced requests of a run, to look up in the traces of the target. */
export function tracesTable(traces: Report['traces']): Markup {
  if (traces.length === 0) return html``
  const shown = traces.slice(0, TRACES_SHOWN_MAX)
  return html`<h3>Slowest traced requests</h3>
<p class="quiet">Some requests carry a <code>traceparent</code> header. Search the traces of the target for these ids. Parts are what the target reported in
<code>Server-Timing</code>, in milliseconds.</p>
${table({
  kind: 'figures-table',
  caption: 'Slowest traced requests',
  columns: ['Route', 'Time', 'Status', 'Response, ms', 'Parts', 'Trace id'],
  rows: shown.map(
    ({
      name,
      at,
      status,
      ms,
      parts,
      traceId,
    }) => html`<tr><th scope="row"><bdi>${name}</bdi></th>${cell('Time', at.slice(11, 19))}${cell('Status', status)}${cell('Response, ms', figure(ms), 'number')}${cell('Parts', partsText(parts))}${cell('Trace id', html`<code>${traceId}</code>`)}</tr>
`,
  ),
})}
${traces.length > shown.length ? html`<p class="quiet">The ${shown.length} slowest of ${traces.length}; report.json lists all.</p>` : html``}`
}

function partsText(parts: Report['traces'][number]['parts']): string {
  return parts.length === 0 ? '–' : parts.map(({ name, ms }) => `${name} ${figure(ms)}`).join(', ')
}
