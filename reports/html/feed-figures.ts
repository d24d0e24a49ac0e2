import type { ChartData } from './chart-data.ts'
import { chartFigure } from './chart-figure.ts'
import { courseGist } from './chart-gists.ts'
import type { FeedCharts } from './feed-charts.ts'
import { html, type Markup } from './markup.ts'

/** Charts of the live feed over time, each with its gist; nothing where nothing was measured. */
export function feedFigures(charts: ChartData | undefined): Markup {
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
    note: 'From the time that an event bears to when it came: known at the least and at the most, as far as the clocks of target and generator agree.',
  },
  { id: 'sockets-chart', title: 'Sockets over time', lines: 'sockets', unit: 'a second', note: '' },
  { id: 'messages-chart', title: 'Messages over time', lines: 'messages', unit: 'a second', note: '' },
]
