import { createRequire } from 'node:module'
import type { TrialFacts } from '../../contract/capacity.ts'
import type { HistoryViolation } from '../../contract/history.ts'
import type { Report } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { focusText } from '../capacity/trials.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import type { Course } from '../series/course.ts'
import type { TimelineRead } from '../timeline.ts'
import { countSentence } from '../verdict-counts.ts'
import { capacitySection } from './capacity-section.ts'
import { type ChartData, chartData } from './chart-data.ts'
import { feedSection } from './feed-section.ts'
import { historiesSection } from './histories-section.ts'
import { latencySection } from './latency-section.ts'
import {
  cell,
  html,
  jsonInScript,
  type Markup,
  pageStyles,
  readText,
  renderPlaceholder,
  selfContainedPage,
  table,
  verdictBadge,
} from './markup.ts'
import { changesSection, limitsSection, rulesSection } from './rules-section.ts'
import { stepCharts } from './step-charts.ts'
import { trendSection } from './trend-section.ts'

function banner(report: Report): Markup {
  const { run, generator, notes } = report
  const remark = notes[0]
  return html`<header class="${report.verdict}">
<p class="kind">Breakwater ${report.job} of <bdi>${run.target.name}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p${report.capacity === null ? html`` : html` class="statement"`}><bdi>${capitalized(countSentence(report))}.</bdi></p>
${remark === undefined ? html`` : html`<p class="remark"><bdi>${remark}</bdi>${notes.length > 1 ? html` <a href="#notes">${notes.length - 1} more</a>` : html``}</p>`}
${failures(report)}
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}
<div><dt>Requests</dt><dd>${generator.requests} in ${generator.measuredSeconds} s, ${generator.failedRequests} failed, ${generator.droppedIterations} iterations dropped</dd></div></dl>
</header>`
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

function facts({ run, exitCode }: Report): (readonly [name: string, value: string])[] {
  const all: (readonly [string, string | null])[] = [
    ['Target', run.target.baseUrl],
    ['World', run.world],
    ['Seed', run.seed === null ? null : String(run.seed)],
    ['Choices', run.choices],
    ['Mutant', run.mutant],
    ['Machine', run.machine],
    ['Generators', run.instances === 1 ? null : String(run.instances)],
    ['Started', run.startedAt],
    ['Finished', run.finishedAt ?? 'never'],
    ['Exit code', String(exitCode)],
  ]
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

/** In dependency order, because a module is evaluated when it is read. */
export const MODULES = [
  'texts',
  'ticks',
  'legend',
  'slider',
  'draw-chart',
  'time-axis',
  'latency-chart',
  'heat-chart',
  'line-chart',
  'step-chart',
  'groups',
  'printing',
  'main',
]

/**
 * The modules of browser/ as one script, because a single-file page cannot import. Top-level names must be unique
 * across them.
 */
export function browserScript(): string {
  const texts = MODULES.map((name) => readText(new URL(`browser/${name}.js`, import.meta.url)))
  const bodies = texts.map((text) =>
    text.replaceAll(/^import [^']*'.*'\n/gm, '').replaceAll(/^export /gm, ''),
  )
  return `;(() => {\n'use strict'\n${bodies.join('\n')}})()`
}

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
  const { report, course, trials, timeline } = input
  const charts = chartData({ course, trials, capacity: report.capacity })
  const sections = buildSections(input, charts).filter(({ markup }) => markup.markup !== '')
  return selfContainedPage({
    title: `${report.verdict}: ${report.job} of ${report.run.target.name}`,
    styles: [
      chartStyle(),
      ...pageStyles(),
      readAsset('charts.css'),
      readAsset('histories.css'),
      ...(report.trend === undefined ? [] : [readAsset('trend.css')]),
    ],
    scripts: [
      chartLibrary(),
      browserScript(),
      ...['rules-filter.js', 'table-roles.js', 'open-for-print.js'].map(readAsset),
    ],
    body: html`${banner(report)}
${navigation(sections, timeline)}
<main id="main">
${sections.map(({ markup, page }) => html`${markup}${page === undefined ? html`` : html`<p class="quiet">Docs: ${page}</p>`}`)}
</main>
<script type="application/json" id="data">${jsonInScript({ time: charts ?? null, steps: stepCharts(report) })}</script>`,
  })
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

function readAsset(file: string): string {
  return readText(new URL(file, import.meta.url))
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

function bottleneckSection({ bottleneck: { by, reasons } }: Pick<Report, 'bottleneck'>): Markup {
  return html`<section aria-labelledby="bottlenecks">
<h2 id="bottlenecks">Bottlenecks</h2>
${by === null ? html`` : html`<p><strong>${LIMITED_BY[by]}</strong></p>`}
${reasons.map((sentence) => html`<p><bdi>${sentence}</bdi></p>`)}
</section>`
}

const locate = createRequire(import.meta.url).resolve

/** The uPlot script. Throws if the package is incomplete. */
export function chartLibrary(): string {
  return licensed('uPlot.iife.min.js')
}

function chartStyle(): string {
  return licensed('uPlot.min.css')
}

/** A file of the package, preceded by its license, which must be included in every copy. */
function licensed(file: string): string {
  // HTML parsers read CR LF as LF, which would invalidate the hash of the script in the page's policy.
  const license = readText(locate('uplot/LICENSE')).replaceAll('\r\n', '\n').trim()
  return `/*! uPlot\n\n${license}\n*/\n${readText(locate(`uplot/dist/${file}`))}`
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
