import type { LatencyMs } from '../../contract/report.ts'
import { figure, percent } from '../objective-text.ts'
import type { Course } from '../series/course.ts'
import { ALL_ROUTES } from '../series/group-routes.ts'
import type { Histogram } from '../statistics/histogram.ts'
import type { ChartData } from './chart-data.ts'
import { chartFigure } from './chart-figure.ts'
import { chartGists } from './chart-gists.ts'
import { clockText } from './clock-text.ts'
import { type CourseRow, courseRows } from './course-rows.ts'
import { groupCourses } from './group-courses.ts'
import { latencyRanges } from './latency-ranges.ts'
import { html, type Markup } from './markup.ts'
import { cell, table } from './table.ts'

/**
 * Charts over the time of a run, each with its gist in words, and tables in their place. What is said of each group of routes
 * stands in elements with `data-group`, its place among the groups: page/groups.js shows those of the chosen one.
 */
export function courseSection(course: Course, charts: ChartData): Markup {
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
  caption: html`${gists('latency')}<p id="chart-caption"></p><p class="screen-only">A name shows or hides its line. Arrow keys move along a chart that has the focus; a mouse, drawn across it, enlarges a part, and a double click shows all again.</p>${trialsText(charts)}`,
})}
<h3>How many took how long</h3>
${chartFigure({
  id: 'heat-chart',
  title: 'Requests by latency, over time',
  caption: html`${gists('heat')}<p>The stronger the colour, the more requests took so long; latency on a logarithmic axis.</p>`,
})}
<details><summary>The same as a table</summary>${ofEach(({ latency }) => framed(rangesTable(latency)))}</details>
<h3>Requests and errors a second</h3>
${chartFigure({ id: 'rate-chart', title: 'Requests and errors a second', caption: html`${gists('rate')}` })}
<details><summary>Latency, requests and errors over time as a table</summary>${ofEach(({ rows, name }) => framed(courseTable(rows, name)))}</details>`
}

/** The first group is shown until another is chosen. */
function hiddenBut(place: number): Markup {
  return place === 0 ? html`` : html` hidden`
}

/** Shown by page/groups.js, without which it could do nothing. */
function groupChoice(names: readonly string[]): Markup {
  if (names.length < 2) return html``
  const option = (name: string, place: number) =>
    html`<option value="${place}">${name === ALL_ROUTES ? 'all requests' : name}</option>`
  return html`<p class="group-choice" hidden><label for="group">Show</label> <select id="group" autocomplete="off">${names.map(option)}</select></p>`
}

function trialsText({ trials }: ChartData): Markup {
  return trials.length === 0
    ? html``
    : html`<p>Shaded: what each trial was judged by; the colour tells what came of it.</p>`
}

/** What is wider than a phone is moved sideways, by keys as well. */
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
    caption: 'Requests by latency',
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

/** As the table of routes has it: a quantile that nothing supports is a dash. */
export function milliseconds(latencyMs: LatencyMs): string {
  if (latencyMs === null) return '–'
  return latencyMs === 'infinite' ? '∞' : figure(latencyMs)
}
