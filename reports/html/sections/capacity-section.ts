import {
  type Capacity,
  getAxisUnit,
  getLoadNoun,
  isOfSockets,
  type TrialResult,
} from '../../../contract/capacity.ts'
import type { Report } from '../../../contract/report.ts'
import {
  budgetText,
  busiestTrial,
  generatorText,
  LOAD_COLUMNS,
  type LoadResult,
  type LoadRow,
  loadRows,
  memoryText,
  quantileText,
  rateText,
  scalabilityText,
  targetText,
  throughputText,
} from '../../capacity/capacity-texts.ts'
import { figure, percent } from '../../objective-text.ts'
import { chartFigure, html, cell as labeled, type Markup, table } from '../markup.ts'
import { drawableTrials, recoveryGist, stepCharts, stepGists } from '../step-charts.ts'

export function capacitySection(report: Pick<Report, 'capacity' | 'slo'>): Markup {
  const { capacity } = report
  if (capacity === null) return html``
  const scalability = scalabilityText(capacity)
  const charts = new Set(stepCharts(report).map(({ id }) => id))
  const gists = stepGists(drawableTrials(capacity))
  const place = (id: string, title: string, caption: string) =>
    charts.has(id)
      ? html`<h2>${title}</h2>
${chartFigure({ id, title, caption: `${caption} The table of all trials has its figures.` })}`
      : html``
  return html`<section aria-labelledby="capacity">
<h2 id="capacity">${isSearch(capacity) ? 'Capacity' : 'Load'} <span class="quiet"><bdi>${capacity.mix}</bdi></span></h2>
<dl class="figures">${figures(capacity).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${place('throughput-chart', 'Throughput over load', `${gists.throughput} ${capacity.axis === 'events' ? 'Events per second that reached sockets, one point per trial.' : 'One point per trial; below the dashed line, clients were waiting.'}`)}
${place('step-latency-chart', 'Latency over load', `${gists.latency} ${capacity.axis === 'events' ? 'Delay of the events' : 'Percentiles'} of each trial, if it has enough ${capacity.axis === 'events' ? 'of them' : 'requests'}. The axis is logarithmic.`)}
${place('recovery-chart', 'Recovery after the cut', recoveryGist(capacity))}
<h2>Loads</h2>
${loadTable(capacity)}
${scalability === null ? html`` : html`<h2>Scalability <span class="quiet">requests per second by concurrency</span></h2>`}
${scalability === null ? html`` : scalabilityFigure(scalability, charts.has('scalability-chart'))}
${renderHealth(capacity)}
${trialTable(capacity.trials)}
</section>`
}

function scalabilityFigure(text: string, isDrawn: boolean): Markup {
  return isDrawn
    ? chartFigure({
        id: 'scalability-chart',
        title: 'Requests per second by concurrency',
        caption: text,
      })
    : html`<p>${text}</p>`
}

const LIMITS: Readonly<Record<Exclude<Capacity['limitedBy'], 'range' | null>, string>> = {
  slo: 'the objectives',
  target: 'the target',
  generator: 'the load generator',
  budget: 'the budget of the search',
  interrupted: 'an interruption',
}

function figures(capacity: Capacity): (readonly [name: string, value: string])[] {
  const { rate, eventsPerSecond, overloadEventsPerSecond, requestsPerSecond, limitedBy, confirmed, budget } =
    capacity
  const { highestPassingRate, lowestFailingRate } = capacity
  const unit = getAxisUnit(capacity.axis)
  const noun = getLoadNoun(capacity.axis)
  const broke = limitedBy === 'generator' ? 'Generator saturated at' : `Lowest failing ${noun}`
  const all: (readonly [string, string | null])[] = [
    ['Capacity', capacityText(capacity)],
    ['Events', eventsPerSecond == null ? null : `${figure(eventsPerSecond)}/s`],
    [
      'Events under overload',
      overloadEventsPerSecond == null ? null : `${figure(overloadEventsPerSecond)}/s`,
    ],
    ['Requests', requestsPerSecond === null ? null : `${figure(requestsPerSecond)}/s`],
    ['Confirmed', rate === null ? null : confirmed ? 'yes' : 'no'],
    [
      'Limited by',
      limitedBy === null || !isSearch(capacity)
        ? null
        : limitedBy === 'range'
          ? `the requested ${noun}`
          : LIMITS[limitedBy],
    ],
    [`Highest passing ${noun}`, highestPassingRate === null ? null : `${figure(highestPassingRate)} ${unit}`],
    [broke, lowestFailingRate === null ? null : `${figure(lowestFailingRate)} ${unit}`],
    ['Budget used', budgetText(budget)],
  ]
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

function capacityText({ rate, ...capacity }: Capacity): string | null {
  if (rate !== null) return `${figure(rate)} ${getAxisUnit(capacity.axis)}`
  return isSearch(capacity) ? 'not found' : null
}

function isSearch({ trials }: Pick<Capacity, 'trials'>): boolean {
  return !trials.some(({ phase }) => phase === 'stage')
}

const HEADINGS: Readonly<Record<keyof LoadRow, string>> = {
  rate: 'Iterations/s',
  result: 'Objectives',
  passed: 'Trials passed',
  throughput: 'Completed/s',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  errors: 'Errors',
  why: 'Why',
}

function loadTable(capacity: Capacity): Markup {
  const rows = loadRows(capacity)
  if (rows.length === 0) return html`<p>No ${getLoadNoun(capacity.axis)} was tried.</p>`
  return table({
    kind: 'loads',
    caption: `Results of each ${getLoadNoun(capacity.axis)}`,
    columns: LOAD_COLUMNS.map(({ key }) => headingOf(key, capacity)),
    rows: rows.map(
      (row) => html`<tr>${LOAD_COLUMNS.map(({ key }) => loadCell(row, key, capacity))}</tr>
`,
    ),
  })
}

/** Sockets are held; their latencies are those of the tickets and of other requests. */
function headingOf(key: keyof LoadRow, { axis }: Pick<Capacity, 'axis'>): string {
  if (!isOfSockets(axis) || (key !== 'rate' && key !== 'throughput')) return HEADINGS[key]
  const unit = getAxisUnit(axis)
  if (key === 'throughput') return axis === 'slow-readers' ? 'Normal sockets served' : 'Served'
  return `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`
}

function loadCell(row: LoadRow, key: keyof LoadRow, capacity: Pick<Capacity, 'axis'>): Markup {
  const heading = headingOf(key, capacity)
  if (key === 'result') return labeled(heading, resultBadge(row.result))
  if (key === 'why') return html`<td><bdi>${row.why}</bdi></td>`
  return labeled(heading, row[key], 'number')
}

const BADGES: Readonly<Record<LoadResult, { sign: string; kind: string }>> = {
  pass: { sign: '✓', kind: 'pass' },
  fail: { sign: '✗', kind: 'fail' },
  undecided: { sign: '?', kind: 'inconclusive' },
  'generator-limited': { sign: '?', kind: 'inconclusive' },
  inconclusive: { sign: '–', kind: 'skipped' },
}

function resultBadge(result: LoadResult): Markup {
  const { sign, kind } = BADGES[result]
  return html`<span class="badge ${kind}"><span aria-hidden="true">${sign}</span> ${result}</span>`
}

function renderHealth(capacity: Capacity): Markup {
  const { trials } = capacity
  const memory = memoryText(capacity)
  const busiest = busiestTrial(trials)
  if (busiest === undefined) return html``
  const reported = busiest.target === null ? '' : targetText(busiest.target)
  return html`<h2>At the highest load <span class="quiet">trial ${busiest.trial}</span></h2>
<p>Load generator: ${generatorText(busiest.generator, busiest.generatorLagMs)}.</p>
<p>Target: ${reported === '' ? 'reported no metrics (a profile can name its metrics endpoint)' : reported}.</p>${memory === null ? html`` : html`<p>Memory per socket: ${memory}</p>`}`
}

function trialColumns(trial: TrialResult): string[] {
  const [rate, throughput] = [headingOf('rate', trial), headingOf('throughput', trial)]
  return [
    ...['Trial', rate, 'Seconds', 'Result', throughput, 'Requests/s', 'p50', 'p95', 'p99'],
    ...['Dropped', 'Errors', '429', 'Reason; generator and target'],
  ]
}

function trialTable(trials: readonly TrialResult[]): Markup {
  const [first] = trials
  if (first === undefined) return html``
  return html`<details><summary>All ${trials.length} trials</summary>
${table({ kind: 'trials', caption: 'All trials in order', columns: trialColumns(first), rows: trials.map(trialRow) })}</details>`
}

function trialRow(trial: TrialResult): Markup {
  const cell = (label: string, text: string) => labeled(label, text, 'number')
  const ends = [
    generatorText(trial.generator, trial.generatorLagMs),
    ...(trial.target === null ? [] : [`target: ${targetText(trial.target)}`]),
  ]
  return html`<tr>
<td data-label="Trial">${trial.trial} <span class="quiet">${trial.phase}</span></td>
${cell(headingOf('rate', trial), rateText(trial.rate, trial.rateFrom))}${cell('Seconds', secondsText(trial))}
<td>${resultBadge(trial.outcome)}</td>
${cell(headingOf('throughput', trial), throughputText(trial))}${cell('Requests/s', figure(trial.requestsPerSecond))}
${cell('p50', quantileText(trial.p50Ms))}${cell('p95', quantileText(trial.p95Ms))}${cell('p99', quantileText(trial.p99Ms))}
${cell('Dropped', String(trial.dropped))}${cell('Errors', trial.errorRate === null ? '' : percent(trial.errorRate))}${cell('429', String(trial.rateLimited))}
<td><bdi>${trial.reason}</bdi><p class="quiet">${ends.join('; ')}</p></td>
</tr>
`
}

function secondsText({ seconds, secondsPlanned, ended }: TrialResult): string {
  return ended === 'completed' ? String(seconds) : `${seconds} of ${secondsPlanned} (${ended})`
}
