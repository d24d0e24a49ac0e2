import type { TimelineLine } from '../../contract/timeline.ts'
import { type Lane, NUMBER } from '../timeline/fold-actors.ts'
import { secondsText } from '../timeline/scale.ts'
import { html, type Markup } from './markup.ts'
import { laneName } from './timeline-lanes.ts'

/** With more lanes than these the columns would be too narrow to read: then a column names the actor. */
const COLUMNS_MAX = 5

/** What happened, line by line: a column for each lane where there are few; a story for each where they are folded. */
export function timelineStory(lanes: readonly Lane[], lines: readonly TimelineLine[]): Markup {
  const isFolded = lanes.some(({ actors }) => actors.length > 1)
  return html`<section aria-labelledby="story">
<h2 id="story">What happened <span class="quiet">${lines.length} lines</span></h2>
${isFolded ? foldedStories(lanes) : plainStory(lanes, lines)}
</section>`
}

function plainStory(lanes: readonly Lane[], lines: readonly TimelineLine[]): Markup {
  const laneOf = new Map(lanes.map(({ actors: [actor = ''] }, index) => [actor, index]))
  const inColumns = lanes.length <= COLUMNS_MAX
  const heads = inColumns ? lanes.map(laneName) : ['Actor', 'What']
  return html`<table class="story${inColumns ? ` columns-${lanes.length}` : ''}">
<thead><tr><th>Time</th>${heads.map((head) => html`<th><bdi>${head}</bdi></th>`)}</tr></thead>
<tbody>
${lines.map((line) => {
  const lane = laneOf.get(line.actor) ?? 0
  if (line.kind === 'step') return stepRow(line, heads.length + 1)
  const cells = inColumns
    ? lanes.map((_, index) => (index === lane ? whatCell(line, line.actor) : html`<td></td>`))
    : [html`<td><bdi>${line.actor}</bdi></td>`, whatCell(line)]
  return html`<tr id="line-${line.number}" data-lane="${lane}"><td class="at">${secondsText(line.atMs)}</td>${cells}</tr>
`
})}</tbody>
</table>`
}

function stepRow({ number, text, atMs }: TimelineLine, columns: number): Markup {
  return html`<tr id="line-${number}" class="step"><th colspan="${columns}"><span class="quiet">${secondsText(atMs)}</span> <bdi>${text}</bdi></th></tr>
`
}

function whatCell(line: TimelineLine, actor?: string): Markup {
  const label = actor === undefined ? html`` : html` data-label="${actor}"`
  return html`<td${label}>${what(line)}</td>`
}

function what({ kind, text, rule }: TimelineLine): Markup {
  const rules = rule === undefined ? html`` : html` <code>${rule}</code>`
  return html`<span class="kind ${kind}">${kind}</span> <bdi>${text}</bdi>${rules}`
}

/** Lanes of one first: among them is what the exchange did to all. */
function foldedStories(lanes: readonly Lane[]): Markup {
  const ordered = [...lanes].sort((a, b) => a.actors.length - b.actors.length)
  return html`<p class="quiet">Actors whose lines differ in nothing but numbers share a story.</p>
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

/** The lines that the actors share, place by place: how many, from when to when, and each of them. */
function groupStory({ actors, lines }: Lane): Markup {
  const places = placesOf(lines)
  return html`<table class="story">
<thead><tr><th>Time</th><th>What</th></tr></thead>
<tbody>
${places.map((own) => {
  const [first] = own
  const last = own.at(-1)
  if (first === undefined || last === undefined) return html``
  return html`<tr><td class="at">${secondsText(first.atMs)} to ${secondsText(last.atMs)}</td><td>${what(shared(own, first))}
<details><summary>each of the ${actors.length}</summary><ol class="each">${own.map((line) => eachOf(line, first))}</ol></details></td></tr>
`
})}</tbody>
</table>`
}

/** The lines of each place: of every actor the first, then of every actor the second, and so on; each by time. */
function placesOf(lines: readonly TimelineLine[]): TimelineLine[][] {
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

/** With a mark in place of the numbers that are not the same for all. */
function shared(lines: readonly TimelineLine[], first: TimelineLine): TimelineLine {
  const numbers = lines.map(({ text }) => text.match(NUMBER) ?? [])
  let place = -1
  const text = first.text.replace(NUMBER, (own) => {
    place++
    return numbers.every((others) => others[place] === own) ? own : '#'
  })
  return { ...first, text }
}

function eachOf(line: TimelineLine, first: TimelineLine): Markup {
  const text = line.text === first.text ? html`` : html` <bdi>${line.text}</bdi>`
  return html`<li id="line-${line.number}">${secondsText(line.atMs)} <bdi>${line.actor}</bdi>${text}</li>
`
}
