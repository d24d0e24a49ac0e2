import type { FeedFigures, Report } from '../../../contract/report.ts'
import { focusText } from '../../capacity/trials.ts'
import { latencyText } from '../../objective-text.ts'
import { samplesNeeded } from '../../statistics/quantiles.ts'
import type { ChartData } from '../chart-data.ts'
import { courseGist } from '../chart-gists.ts'
import type { FeedCharts } from '../chart-lines.ts'
import { cell, chartFigure, html, type Markup, renderPlaceholder, table } from '../markup.ts'

export function feedSection(
  { feed, job, capacity }: Pick<Report, 'feed' | 'job' | 'capacity'>,
  charts: ChartData | undefined,
): Markup {
  const focus = focusText(capacity) ?? ''
  if (feed === null) {
    return html`<section aria-labelledby="feed"><h2 id="feed">Live feed</h2>
${renderPlaceholder('feed', job)}
</section>`
  }
  return html`<section aria-labelledby="feed">
<h2 id="feed">Live feed <span class="quiet">${focus}</span></h2>
<h3>Delay</h3>
${delayText(feed)}
${timesTable(feed)}
<h3>Sockets</h3>
<dl class="figures">${socketFigures(feed).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${feedFigures(charts)}
</section>`
}

function delayText({ delay, unmeasured }: FeedFigures): Markup {
  const why = unmeasured.map(
    ({ reason, events }) => html`<p>The delay of ${events} events is unknown: ${reason}.</p>`,
  )
  if (delay !== null) {
    return html`<p class="quiet">Time from an event to its arrival at a client. The clock offset between target and load generator is known only within bounds, and timestamps are cut to a unit, so delays have a lower and an upper bound.</p>${why}`
  }
  return why.length > 0
    ? html`${why}`
    : html`<p>No delay was measured: only clients of a workload mix measure it, and none received an event.</p>`
}

function timesTable({ delay, synchronize, connects }: FeedFigures): Markup {
  const all = [
    { name: 'Event delay, lower bound', of: delay?.lowerBound ?? null },
    { name: 'Event delay, upper bound', of: delay?.upperBound ?? null },
    { name: 'Time to synchronize', of: synchronize },
    { name: 'Time to open a socket', of: connects },
  ]
  const rows = all.flatMap(({ name, of }) =>
    of === null
      ? []
      : [
          html`<tr><th scope="row">${name}</th>${cell('Samples', String(of.samples), 'number')}${QUANTILES.map((quantile) => cell(quantile, of[quantile] === null ? '–' : latencyText(of[quantile]), 'number'))}</tr>
`,
        ],
  )
  if (rows.length === 0) return html``
  return html`${table({
    kind: 'times',
    caption: 'Live feed latencies',
    columns: ['Latency', 'Samples', ...QUANTILES],
    rows,
  })}
<p class="quiet">A percentile needs a minimum number of samples: ${samplesNeeded(0.5)} for p50, ${samplesNeeded(0.95)} for p95, ${samplesNeeded(0.99)} for p99.</p>`
}

const QUANTILES = ['p50', 'p95', 'p99', 'max'] as const

function socketFigures({
  sockets,
  connects,
  messages,
}: FeedFigures): (readonly [name: string, value: string])[] {
  const all: (readonly [string, number | undefined])[] = [
    ['Opened', connects?.samples],
    ['Clients served', sockets?.served],
    ['No response', sockets?.unresponsive],
    ['Rejected', sockets?.rejected],
    ['Messages received', messages?.received],
    ['Messages sent', messages?.sent],
  ]
  return all.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
}

function feedFigures(charts: ChartData | undefined): Markup {
  const feed = charts?.feed ?? null
  if (feed === null) return html``
  const drawn = FIGURES.filter(({ lines }) => feed[lines].length > 0)
  return html`${drawn.map(
    ({ id, title, lines, unit, note }) => html`<h3>${title}</h3>
${chartFigure({ id, title, caption: html`<p>${courseGist(feed[lines], feed.seconds, unit)}</p>${note === '' ? html`` : html`<p>${note}</p>`}` })}
`,
  )}`
}

type Figure = {
  id: string
  title: string
  lines: Exclude<keyof FeedCharts, 'seconds' | 'windowSeconds'>
  unit: string
  note: string
}

const FIGURES: readonly Figure[] = [
  {
    id: 'feed-delay-chart',
    title: 'Feed delay over time',
    lines: 'delay',
    unit: 'ms',
    note: 'Time from the timestamp of an event to its arrival. The bounds reflect the clock offset between target and generator, and the unit of the timestamps.',
  },
  { id: 'sockets-chart', title: 'Sockets over time', lines: 'sockets', unit: 'per second', note: '' },
  { id: 'messages-chart', title: 'Messages over time', lines: 'messages', unit: 'per second', note: '' },
]
