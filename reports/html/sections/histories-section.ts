import type { HistoryViolation } from '../../../contract/history.ts'
import { RUN_FILES } from '../../../contract/run.ts'
import { shortened } from '../../visible.ts'
import { html, type Markup } from '../markup.ts'

/** Each violation that the operation log of a load shows, as lanes over time: one lane per operation, in order of calls. */
export function historiesSection(violations: readonly HistoryViolation[]): Markup {
  if (violations.length === 0) return html``
  return html`<section aria-labelledby="histories">
<h2 id="histories">Histories</h2>
<p>Each bar is an operation, from its call to its return. Together, these operations break the rule.</p>
${violations.map(violationFigure)}
</section>`
}

const LANES_MAX = 40
const TEXT_LENGTH_MAX = 200
const SOURCE = { file: RUN_FILES.histories }

const LANE_HEIGHT = 22
const LABEL_WIDTH = 200
const TIME_WIDTH = 420
const OUTCOME_WIDTH = 140
const BAR_HEIGHT = 12
/** An operation that took no visible time. */
const BAR_WIDTH_MIN = 2

type Lane = HistoryViolation['operations'][number]

function violationFigure({ rule, key, operations }: HistoryViolation): Markup {
  const lanes = operations.slice(0, LANES_MAX)
  const endMs = Math.max(0.001, ...lanes.map(({ fromMs, toMs }) => toMs ?? fromMs))
  const height = LANE_HEIGHT * (lanes.length + 1)
  const left = operations.length - lanes.length
  const title = `${rule}: ${shortened(key, TEXT_LENGTH_MAX, SOURCE)}`
  return html`<figure class="history">
<figcaption><code>${rule}</code> <bdi>${shortened(key, TEXT_LENGTH_MAX, SOURCE)}</bdi></figcaption>
<svg viewBox="0 0 ${LABEL_WIDTH + TIME_WIDTH + OUTCOME_WIDTH} ${height}" role="img" aria-label="${title}">
${lanes.map((lane, index) => drawLane(lane, { index, endMs }))}
<text class="axis" x="${LABEL_WIDTH}" y="${height - 6}">0 ms</text>
<text class="axis" x="${LABEL_WIDTH + TIME_WIDTH}" y="${height - 6}" text-anchor="end">${endMs} ms</text>
</svg>
${left > 0 ? html`<p class="quiet">${left} more operations</p>` : html``}
</figure>
`
}

function drawLane(lane: Lane, { index, endMs }: { index: number; endMs: number }): Markup {
  const { does, outcome, accepted, fromMs, toMs } = lane
  const place = (ms: number) => LABEL_WIDTH + Math.round((TIME_WIDTH * Math.min(ms, endMs)) / endMs)
  const [from, to] = [place(fromMs), place(toMs ?? endMs)]
  const middle = LANE_HEIGHT * index + LANE_HEIGHT / 2
  const kind = toMs === null ? 'open' : accepted ? 'accepted' : 'rejected'
  return html`<text x="${LABEL_WIDTH - 8}" y="${middle + 4}" text-anchor="end">${shortened(does, TEXT_LENGTH_MAX, SOURCE)}</text>
<rect class="${kind}" x="${from}" y="${middle - BAR_HEIGHT / 2}" width="${Math.max(BAR_WIDTH_MIN, to - from)}" height="${BAR_HEIGHT}" />
<text x="${LABEL_WIDTH + TIME_WIDTH + 8}" y="${middle + 4}">${shortened(outcome, TEXT_LENGTH_MAX, SOURCE)}</text>
`
}
