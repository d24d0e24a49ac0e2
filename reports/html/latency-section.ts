import type { LatencyMs, Report, RouteLatency } from '../../contract/report.ts'
import { focusText } from '../capacity/focus-trial.ts'
import type { Course } from '../series/course.ts'
import { samplesNeeded } from '../statistics/quantile-support.ts'
import type { ChartData } from './chart-data.ts'
import { courseSection, milliseconds } from './course-section.ts'
import { html, type Markup, trusted } from './markup.ts'

const ROUTES_SHOWN_MAX = 60
const QUANTILES = ['p50', 'p95', 'p99'] as const

/** The charts over time, and latency by route as bars and figures. */
export function latencySection(options: {
  report: Pick<Report, 'latency' | 'generator' | 'capacity'>
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
<p class="quiet">Bars: <span class="key p50"></span> p50 <span class="key p95"></span> p95 <span class="key p99"></span> p99. A
quantile is shown where enough requests support it: ${samplesNeeded(0.5)} for p50, ${samplesNeeded(0.95)} for p95,
${samplesNeeded(0.99)} for p99. Milliseconds.</p>
<table class="routes">
<thead><tr><th>Route</th><th>Requests</th><th>Failed</th><th>p50</th><th>p95</th><th>p99</th><th>max</th></tr></thead>
${bodyOf(groups.slice(0, 1), scaleMs)}
${latency.groups.slice(1).map(({ routeGroup }) =>
  bodyOf(
    shown.filter((route) => route.routeGroup === routeGroup),
    scaleMs,
  ),
)}
</table>
${latency.routes.length > shown.length ? html`<p class="quiet">The ${shown.length} busiest of ${latency.routes.length} routes; report.json has all.</p>` : html``}
</section>`
}

function bodyOf(routes: readonly RouteLatency[], scaleMs: number): Markup {
  return html`<tbody>${routes.map((route) => routeRow(route, scaleMs))}</tbody>`
}

function routeRow(route: RouteLatency, scaleMs: number): Markup {
  const cell = (label: string, text: string) => html`<td class="number" data-label="${label}">${text}</td>`
  return html`<tr>
<td><bdi>${route.name}</bdi> ${route.routeGroup === '*' ? html`` : html`<span class="quiet"><bdi>${route.routeGroup}</bdi></span>`}${bars(route, scaleMs)}</td>
${cell('Requests', String(route.count))}${cell('Failed', String(route.failed))}
${QUANTILES.map((name) => cell(name, milliseconds(route[name])))}${cell('max', milliseconds(route.max))}
</tr>
`
}

/** The longest bar first, the shorter ones over it. */
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
