import type { TrialFacts } from '../../contract/capacity.ts'
import type { HistoryViolation } from '../../contract/history.ts'
import type { Report } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { focusText } from '../capacity/trials.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import type { Course } from '../series/course.ts'
import type { TimelineRead } from '../timeline.ts'
import { groupText } from '../trend/trend-text.ts'
import { countSentence } from '../verdict-counts.ts'
import { type ChartData, chartData } from './chart-data.ts'
import {
  cell,
  html,
  jsonInScript,
  type Markup,
  renderPlaceholder,
  selfContainedPage,
  table,
  verdictBadge,
} from './markup.ts'
import { reportScripts, reportStyles } from './page-scripts.ts'
import { changesPart, trendChart, trendStyle } from './render-trend.ts'
import { capacitySection } from './sections/capacity-section.ts'
import { feedSection } from './sections/feed-section.ts'
import { historiesSection } from './sections/histories-section.ts'
import { latencySection } from './sections/latency-section.ts'
import { changesSection, limitsSection, rulesSection } from './sections/rules-section.ts'
import { type StepChart, stepCharts } from './step-charts.ts'

export type RenderInput = {
  report: Report
  course: Course
  /** In run order; empty if the run was not a search. */
  trials: readonly TrialFacts[]
  catalogue: readonly Rule[]
  nowMs: number
  /** Set for a case; the timeline has its own page. */
  timeline?: TimelineRead | undefined
  /** Found in the operation log of a load. */
  violations?: readonly HistoryViolation[]
}

/** A run as one HTML file; its content security policy blocks all network access. The verdict comes first. */
export function renderHtml(input: RenderInput): string {
  const { report } = input
  const { content, data } = renderContent(input)
  return selfContainedPage({
    title: `${report.verdict}: ${report.job} of ${report.run.target.name}`,
    styles: [...reportStyles(), ...(report.trend === undefined ? [] : [trendStyle()])],
    scripts: reportScripts('main'),
    body: html`${content}
<script type="application/json" id="data">${jsonInScript(data)}</script>`,
  })
}

/** The data that the scripts in browser/ draw charts from. */
export type PageData = { time: ChartData | null; steps: StepChart[] }

/** The sections that mean something before the run has ended: the others need all its findings. */
const LIVE_SECTIONS: ReadonlySet<string> = new Set(['capacity', 'latency', 'slo', 'feed'])

/** All parts of the page that depend on the run. `isRunning`: there is no verdict yet. */
export function renderContent(
  input: RenderInput,
  { isRunning = false }: { isRunning?: boolean } = {},
): { content: Markup; data: PageData } {
  const { report, course, trials, timeline } = input
  const charts = chartData({ course, trials, capacity: report.capacity })
  const sections = buildSections(input, charts).filter(
    ({ id, markup }) => markup.markup !== '' && (!isRunning || LIVE_SECTIONS.has(id)),
  )
  return {
    content: html`${isRunning ? runningBanner(report) : banner(report)}
${navigation(sections, timeline)}
<main id="main">
${sections.map(({ markup, page }) => html`${markup}${page === undefined ? html`` : html`<p class="quiet">Docs: ${page}</p>`}`)}
</main>`,
    data: { time: charts ?? null, steps: stepCharts(report) },
  }
}

/** A part of the page under a heading with this id; left out if it has no markup. `page` explains it. */
type Section = { id: string; name: string; markup: Markup; page?: string }

function buildSections(
  { report, course, catalogue, nowMs, violations = [] }: RenderInput,
  charts: ChartData | undefined,
): Section[] {
  return [
    { id: 'changes', name: 'Changes since the last run', markup: changesSection(report) },
    { id: 'trend', name: 'Trend', markup: trendSection(report), page: 'docs/guides/trends.md' },
    {
      id: 'capacity',
      name: 'Load',
      markup: capacitySection(report),
      page: 'docs/concepts/capacity-search.md',
    },
    {
      id: 'latency',
      name: 'Latency',
      markup: latencySection({ report, course, charts }),
      page: 'docs/get-started/read-the-report.md',
    },
    { id: 'limits', name: 'Limits', markup: limitsSection(report), page: 'docs/reference/rules.md' },
    {
      id: 'rules',
      name: 'Rules',
      markup: rulesSection(report, catalogue),
      page: 'docs/concepts/verdicts.md',
    },
    {
      id: 'histories',
      name: 'Histories',
      markup: historiesSection(violations),
      page: 'docs/concepts/histories.md',
    },
    { id: 'slo', name: 'Objectives', markup: sloSection(report), page: 'docs/reference/objectives.md' },
    {
      id: 'feed',
      name: 'Live feed',
      markup: feedSection(report, charts),
      page: 'docs/reference/objectives.md#feed-delay',
    },
    {
      id: 'bottlenecks',
      name: 'Bottlenecks',
      markup: bottleneckSection(report),
      page: 'docs/concepts/bottlenecks.md',
    },
    { id: 'reproduce', name: 'Reproduce', markup: runSection(report, new Date(nowMs).toISOString()) },
    { id: 'notes', name: 'Notes', markup: notesSection(report) },
  ]
}

function navigation(sections: readonly Section[], timeline: TimelineRead | undefined): Markup {
  return html`<nav aria-label="Sections">${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}${timeline === undefined ? html`` : html`<a href="${RUN_FILES.timelineHtml}">Timeline</a>`}</nav>`
}

function notesSection({ notes }: Report): Markup {
  if (notes.length === 0) return html``
  return html`<section aria-labelledby="notes">
<h2 id="notes">Notes</h2>
<ul>${notes.map((note) => html`<li><bdi>${note}</bdi></li>`)}</ul>
</section>`
}

function runSection({ run }: Report, renderedAt: string): Markup {
  const { breakwater, node, k6 } = run.versions
  return html`<section aria-labelledby="reproduce">
<h2 id="reproduce">Reproduce</h2>
<pre class="command">${run.command}</pre>
<p class="quiet">Breakwater ${breakwater}, Node ${node}, k6 ${k6}. Run <bdi>${run.id}</bdi>. Rendered ${renderedAt}.</p>
</section>`
}

const LIMITED_BY: Readonly<Record<NonNullable<Report['bottleneck']['by']>, string>> = {
  slo: 'The objectives: one failed, and the target reported no bottleneck.',
  target: 'The target: its own metrics show that it saturated.',
  generator: 'The load generator saturated: the figures say less about the target.',
  budget: 'The budget of the search: allow more time or requests for a narrower result.',
  interrupted: 'The run was interrupted.',
  range: 'The requested rate: the target still met the objectives at this rate.',
}

function bottleneckSection({ bottleneck: { by, part, reasons } }: Pick<Report, 'bottleneck'>): Markup {
  return html`<section aria-labelledby="bottlenecks">
<h2 id="bottlenecks">Bottlenecks</h2>
${part === null ? html`` : html`<p><strong>The target: most of the growth of its response time was in <bdi>${part}</bdi>.</strong></p>`}
${by === null || (by === 'slo' && part !== null) ? html`` : html`<p><strong>${LIMITED_BY[by]}</strong></p>`}
${reasons.map((sentence) => html`<p><bdi>${sentence}</bdi></p>`)}
</section>`
}

function sloSection({ slo, capacity, job }: Report): Markup {
  if (slo === null) {
    return html`<section aria-labelledby="slo"><h2 id="slo">Objectives</h2>
${renderPlaceholder('slo', job)}
</section>`
  }
  const rows = slo.objectives.map(
    (objective) => html`<tr>
<td>${verdictBadge(objective.verdict)}</td>
<th scope="row"><bdi>${objectiveText(objective)}</bdi></th>
${cell('Observed', html`<bdi>${observedText(objective)}</bdi>`)}
</tr>
`,
  )
  return html`<section aria-labelledby="slo">
<h2 id="slo">Objectives <span class="quiet"><bdi>${slo.name}</bdi> ${focusText(capacity) ?? ''}</span></h2>
${table({ kind: 'slo', caption: 'Objectives and observed values', columns: ['Verdict', 'Objective', 'Observed'], rows })}
</section>`
}

/** The top of the page: verdict, failures and facts. */
function banner(report: Report): Markup {
  const { run, notes } = report
  const remark = notes[0]
  return html`<header class="${report.verdict}">
<p class="kind">Breakwater ${report.job} of <bdi>${run.target.name}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p${report.capacity === null ? html`` : html` class="statement"`}><bdi>${capitalized(countSentence(report))}.</bdi></p>
${remark === undefined ? html`` : html`<p class="remark"><bdi>${remark}</bdi>${notes.length > 1 ? html` <a href="#notes">${notes.length - 1} more</a>` : html``}</p>`}
${failures(report)}
${factList(report, [...facts(report), ['Finished', report.run.finishedAt ?? 'never'], ['Exit code', String(report.exitCode)]])}
</header>`
}

/** The top of the live page during the run, without a verdict. */
function runningBanner(report: Report): Markup {
  return html`<header class="running">
<p class="kind">Breakwater ${report.job} of <bdi>${report.run.target.name}</bdi></p>
<h1>Running</h1>
${factList(report, facts(report))}
</header>`
}

type Fact = readonly [name: string, value: string]

function factList({ generator }: Report, facts: readonly Fact[]): Markup {
  const { requests, measuredSeconds, failedRequests, droppedIterations } = generator
  return html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}
<div><dt>Requests</dt><dd>${requests} in ${measuredSeconds} s, ${failedRequests} failed, ${droppedIterations} iterations dropped</dd></div></dl>`
}

const FAILURES_SHOWN_MAX = 5

function failures({ rules, slo }: Pick<Report, 'rules' | 'slo'>): Markup {
  const names = [
    ...rules.filter(({ verdict, waiver }) => verdict === 'fail' && waiver === null).map(({ id }) => id),
    ...(slo?.objectives ?? []).filter(({ verdict }) => verdict === 'fail').map(objectiveText),
  ]
  if (names.length === 0) return html``
  const left = names.length - FAILURES_SHOWN_MAX
  return html`<ul class="failures">${names.slice(0, FAILURES_SHOWN_MAX).map((name) => html`<li><bdi>${name}</bdi></li>`)}${left > 0 ? html`<li><a href="#rules">and ${left} more</a></li>` : html``}</ul>`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function facts({ run }: Report): Fact[] {
  const all: (readonly [string, string | null])[] = [
    ['Target', run.target.baseUrl],
    ['World', run.world],
    ['Seed', run.seed === null ? null : String(run.seed)],
    ['Choices', run.choices],
    ['Mutant', run.mutant],
    ['Machine', run.machine],
    ['Generators', run.instances === 1 ? null : String(run.instances)],
    ['Started', run.startedAt],
  ]
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

function trendSection({ trend: found, run }: Pick<Report, 'trend' | 'run'>): Markup {
  if (found === undefined) return html``
  const { history, reason, trend } = found
  return html`<section class="trend" aria-labelledby="trend">
<h2 id="trend">Trend <span class="quiet"><bdi>${history}</bdi></span></h2>
${
  trend === null
    ? html`<p>No trend: <bdi>${reason ?? ''}</bdi>.</p>`
    : html`<p>${trend.points.length} runs: <bdi>${groupText(trend.group)}</bdi></p>
${trend.note === null ? html`` : html`<p class="remark">Not judged: ${trend.note}.</p>`}
${trendChart(trend, { ownRun: run.id })}
${changesPart(trend)}
<p class="quiet">Larger circles mark this run. The trend shows runs until this one, and does not affect the verdict.</p>`
}
</section>`
}
