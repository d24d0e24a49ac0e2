import { TIMELINE_KINDS, type TimelineLine } from '../../contract/timeline.ts'
import { groupBy, type Lane } from '../timeline/fold-actors.ts'
import type { Scale } from '../timeline/scale.ts'
import { html, type Markup } from './markup.ts'

/** Units of the drawing, which is as wide as the page allows. */
const WIDTH = 1000
const HEIGHT = 20
const COLUMNS = 250

/** The swim lanes: one a row, a mark for whatever happened in it, each a link to its line. */
export function timelineLanes(lanes: readonly Lane[], scale: Scale): Markup {
  const kinds = TIMELINE_KINDS.filter((kind) =>
    lanes.some(({ lines }) => lines.some((line) => line.kind === kind)),
  )
  return html`<section aria-labelledby="lanes">
<h2 id="lanes">Lanes <span class="quiet">from left to right: ${scale.name}</span></h2>
<p class="legend quiet">${kinds.map((kind) => html`<span><i class="mark ${kind}"></i>${kind}</span> `)}</p>
<div class="lanes">
${lanes.map(
  (
    lane,
    index,
  ) => html`<div class="lane" data-lane="${index}"><button type="button" aria-pressed="false"><bdi>${laneName(lane)}</bdi></button>${laneDrawing(lane, scale)}</div>
`,
)}
<div class="lane axis"><span></span>${axis(scale)}</div>
</div>
</section>`
}

/** The only actor of a lane, or the first one and how many more there are. */
export function laneName({ actors }: Lane): string {
  const [first = ''] = actors
  return actors.length === 1 ? first : `${first} and ${actors.length - 1} more`
}

function laneDrawing({ lines }: Lane, scale: Scale): Markup {
  const columnOf = (line: TimelineLine) => Math.floor(scale.at(line) * (COLUMNS - 1))
  const columns = groupBy(lines, (line) => String(columnOf(line)))
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${[...columns].map(([column, own]) => marksOf(Number(column), own))}</svg>`
}

/** What falls into one column stands one below the other, by kind, each as high as it is frequent. */
function marksOf(column: number, lines: readonly TimelineLine[]): Markup {
  const kinds = [...groupBy(lines, ({ kind }) => kind)]
  const width = WIDTH / COLUMNS
  let y = 0
  return html`${kinds.map(([kind, own]) => {
    const [first] = own
    if (first === undefined) return html``
    const height = (HEIGHT * own.length) / lines.length
    const top = y
    y += height
    const title =
      own.length === 1
        ? `${first.actor} ${kind}: ${first.text}`
        : `${own.length} times ${kind}, such as: ${first.text}`
    return html`<a href="#line-${first.number}" tabindex="-1"><rect class="mark ${kind}" x="${rounded(column * width)}" y="${rounded(top)}" width="${width}" height="${rounded(height)}"><title>${title}</title></rect></a>`
  })}`
}

function axis({ ticks }: Scale): Markup {
  const anchor = (at: number) => (at < 0.05 ? 'start' : at > 0.95 ? 'end' : 'middle')
  return html`<svg viewBox="0 0 ${WIDTH} 16" aria-hidden="true">${ticks.map(
    ({ at, text }) =>
      html`<text x="${rounded(at * WIDTH)}" y="12" text-anchor="${anchor(at)}">${text}</text>`,
  )}</svg>`
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
