import type { Report } from '../../contract/report.ts'
import { RUN_FILES, type Run, TIMELINE_KINDS, type TimelineLine } from '../../contract/run.ts'
import {
  createScale,
  foldActors,
  groupBy,
  type Lane,
  NUMBER,
  type Scale,
  secondsText,
  type TimelineRead,
} from '../timeline.ts'
import { countSentence } from '../verdict-counts.ts'
import { html, type Markup, pageStyles, readText, selfContainedPage, verdictBadge } from './markup.ts'

/** The page of a case: a timeline of every actor and the verdict. */
export function renderTimeline(options: {
  report: Report
  caseRun: NonNullable<Run['repro']>
  timeline: TimelineRead
}): string {
  const { report, caseRun, timeline } = options
  const { lines, notes } = timeline
  const lanes = foldActors(lines)
  return selfContainedPage({
    title: `${report.verdict}: ${caseRun.title}`,
    styles: [...pageStyles(), readText(new URL('timeline.css', import.meta.url))],
    scripts: [readText(new URL('timeline.js', import.meta.url))],
    body: html`${banner(report, caseRun)}
<main id="main" class="timeline">
${notes.map((note) => html`<p class="remark">${note}</p>`)}
${
  lines.length === 0
    ? html`<p>No events were recorded: the case ended before its first step.</p>`
    : html`${timelineLanes(lanes, createScale(lines))}
${timelineStory(lanes, lines)}`
}
</main>`,
  })
}

function banner(report: Report, { name, title, story }: NonNullable<Run['repro']>): Markup {
  const { run, verdict } = report
  return html`<header class="${verdict}">
<p class="kind">Breakwater repro <bdi>${name}</bdi> of <bdi>${run.target.name}</bdi></p>
<h1><bdi>${title}</bdi></h1>
<p>${verdictBadge(verdict)} ${countSentence(report)}</p>
<p><bdi>${story}</bdi></p>
<pre class="command">${run.command}</pre>
</header>
<nav aria-label="Sections"><a href="#lanes">Lanes</a> <a href="#story">Timeline</a> <a href="${RUN_FILES.reportHtml}">Report</a></nav>`
}

/** With more lanes the columns are too narrow: one column then names the actor. */
const COLUMNS_MAX = 5

/** One column per lane if there are few; else one story per group of actors. */
function timelineStory(lanes: readonly Lane[], lines: readonly TimelineLine[]): Markup {
  const isFolded = lanes.some(({ actors }) => actors.length > 1)
  return html`<section aria-labelledby="story">
<h2 id="story">Timeline <span class="quiet">${lines.length} events</span></h2>
${isFolded ? foldedStories(lanes) : plainStory(lanes, lines)}
</section>`
}

export function plainStory(lanes: readonly Lane[], lines: readonly TimelineLine[]): Markup {
  const laneByActor = new Map(lanes.map(({ actors: [actor = ''] }, index) => [actor, index]))
  const inColumns = lanes.length <= COLUMNS_MAX
  const heads = inColumns ? lanes.map(laneName) : ['Actor', 'What']
  return html`<table class="story${inColumns ? ` columns-${lanes.length}` : ''}">
<thead><tr><th>Time</th>${heads.map((head) => html`<th><bdi>${head}</bdi></th>`)}</tr></thead>
<tbody>
${lines.map((line) => {
  const lane = laneByActor.get(line.actor) ?? 0
  if (line.kind === 'step') return stepRow(line, heads.length + 1)
  const cells = inColumns
    ? lanes.map((_, index) => (index === lane ? renderCell(line, line.actor) : html`<td></td>`))
    : [html`<td><bdi>${line.actor}</bdi></td>`, renderCell(line)]
  return html`<tr id="line-${line.number}" data-lane="${lane}"><td class="at">${secondsText(line.atMs)}</td>${cells}</tr>
`
})}</tbody>
</table>`
}

function stepRow({ number, text, atMs }: TimelineLine, columns: number): Markup {
  return html`<tr id="line-${number}" class="step"><th colspan="${columns}"><span class="quiet">${secondsText(atMs)}</span> <bdi>${text}</bdi></th></tr>
`
}

function renderCell(line: TimelineLine, actor?: string): Markup {
  const label = actor === undefined ? html`` : html` data-label="${actor}"`
  return html`<td${label}>${what(line)}</td>`
}

function what({ kind, text, rule }: TimelineLine): Markup {
  const rules = rule === undefined ? html`` : html` <code>${rule}</code>`
  return html`<span class="kind ${kind}">${kind}</span> <bdi>${text}</bdi>${rules}`
}

/** Lanes of one actor first: they include the actions of the exchange on all actors. */
function foldedStories(lanes: readonly Lane[]): Markup {
  const ordered = [...lanes].sort((a, b) => a.actors.length - b.actors.length)
  return html`<p class="quiet">Actors whose events differ only in numbers share a story.</p>
${ordered.map(
  (
    lane,
  ) => html`<details class="group"${lane.actors.length === 1 ? html` open` : html``}><summary><bdi>${laneName(lane)}</bdi>${ending(lane)}</summary>
${lane.actors.length === 1 ? plainStory([lane], lane.lines) : groupStory(lane)}
</details>
`,
)}`
}

function ending({ lines }: Lane): Markup {
  const outcome = lines.findLast(({ kind }) => kind === 'outcome')
  return outcome === undefined ? html`` : html`: <bdi>${outcome.text}</bdi>`
}

function groupStory({ actors, lines }: Lane): Markup {
  const places = groupByPosition(lines)
  return html`<table class="story">
<thead><tr><th>Time</th><th>What</th></tr></thead>
<tbody>
${places.map((own) => {
  const [first] = own
  const last = own.at(-1)
  if (first === undefined || last === undefined) return html``
  return html`<tr><td class="at">${secondsText(first.atMs)} to ${secondsText(last.atMs)}</td><td>${what(shared(own, first))}
<details><summary>each of the ${actors.length}</summary><ol class="each">${own.map((line) => renderOccurrence(line, first))}</ol></details></td></tr>
`
})}</tbody>
</table>`
}

/** Groups lines by position: the first line of every actor, then the second, and so on, each by time. */
function groupByPosition(lines: readonly TimelineLine[]): TimelineLine[][] {
  const seen = new Map<string, number>()
  const places: TimelineLine[][] = []
  for (const line of lines) {
    const place = seen.get(line.actor) ?? 0
    seen.set(line.actor, place + 1)
    const own = places[place] ?? []
    places[place] = own
    own.push(line)
  }
  return places.map((own) => own.sort((a, b) => a.atMs - b.atMs))
}

/** Replaces numbers that differ between actors by a placeholder. */
function shared(lines: readonly TimelineLine[], first: TimelineLine): TimelineLine {
  const numbers = lines.map(({ text }) => text.match(NUMBER) ?? [])
  let place = -1
  const text = first.text.replace(NUMBER, (own) => {
    place++
    return numbers.every((others) => others[place] === own) ? own : '#'
  })
  return { ...first, text }
}

function renderOccurrence(line: TimelineLine, first: TimelineLine): Markup {
  const text = line.text === first.text ? html`` : html` <bdi>${line.text}</bdi>`
  return html`<li id="line-${line.number}">${secondsText(line.atMs)} <bdi>${line.actor}</bdi>${text}</li>
`
}

/** Units of the SVG, which scales to the page width. */
const WIDTH = 1000
const HEIGHT = 20
const COLUMNS = 250

/** Swim lanes: one row per lane, and a mark for each event that links to its line. */
function timelineLanes(lanes: readonly Lane[], scale: Scale): Markup {
  const kinds = TIMELINE_KINDS.filter((kind) =>
    lanes.some(({ lines }) => lines.some((line) => line.kind === kind)),
  )
  return html`<section aria-labelledby="lanes">
<h2 id="lanes">Lanes <span class="quiet">x axis: ${scale.name}</span></h2>
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

function laneName({ actors }: Lane): string {
  const [first = ''] = actors
  return actors.length === 1 ? first : `${first} and ${actors.length - 1} more`
}

function laneDrawing({ lines }: Lane, scale: Scale): Markup {
  const toColumn = (line: TimelineLine) => Math.floor(scale.at(line) * (COLUMNS - 1))
  const columns = groupBy(lines, (line) => String(toColumn(line)))
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${[...columns].map(([column, own]) => renderMarks(Number(column), own))}</svg>`
}

/** Events in one column are stacked by kind; the height shows their count. */
function renderMarks(column: number, lines: readonly TimelineLine[]): Markup {
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
