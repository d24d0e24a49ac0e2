import type { TrialFacts } from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { Course } from '../series/course.ts'
import type { TimelineRead } from '../timeline/read-timeline.ts'
import { banner } from './banner.ts'
import { browserScript } from './browser-script.ts'
import { capacitySection } from './capacity-section.ts'
import { changedSection } from './changed-section.ts'
import { type ChartData, chartData } from './chart-data.ts'
import { chartLibrary, chartStyle } from './chart-library.ts'
import { feedSection } from './feed-section.ts'
import { latencySection } from './latency-section.ts'
import { limitedSection } from './limited-section.ts'
import { limitsSection } from './limits-section.ts'
import { html, jsonInScript, type Markup } from './markup.ts'
import { notesSection } from './notes-section.ts'
import { readText, selfContainedPage } from './page-parts.ts'
import { pageStyles } from './page-styles.ts'
import { rulesSection } from './rules-section.ts'
import { runSection } from './run-section.ts'
import { sloSection } from './slo-section.ts'
import { stepCharts } from './step-charts.ts'

export type RenderInput = {
  report: Report
  course: Course
  /** As they were run; none where the run was no search. */
  trials: readonly TrialFacts[]
  catalogue: readonly Rule[]
  /** Milliseconds since the epoch: when the report was made. */
  nowMs: number
  /** Of a case that was played, which has a page of its own. */
  timeline?: TimelineRead | undefined
}

/** A run as one HTML file that needs no network, and by its own policy could not use one. The verdict comes first. */
export function renderHtml(input: RenderInput): string {
  const { report, course, trials, timeline } = input
  const charts = chartData({ course, trials, capacity: report.capacity })
  const sections = sectionsOf(input, charts).filter(({ markup }) => markup.markup !== '')
  return selfContainedPage({
    title: `${report.verdict}: ${report.job} of ${report.run.target.name}`,
    styles: [chartStyle(), ...pageStyles(), readBeside('charts.css')],
    scripts: [
      chartLibrary(),
      browserScript(),
      ...['rules-filter.js', 'table-roles.js', 'open-for-print.js'].map(readBeside),
    ],
    body: html`${banner(report)}
${navigation(sections, timeline)}
<main id="main">
${sections.map(({ markup }) => markup)}
</main>
<script type="application/json" id="data">${jsonInScript({ time: charts ?? null, steps: stepCharts(report) })}</script>`,
  })
}

/** A part of the page under a heading with this id; without markup it is left out. */
type Section = { id: string; name: string; markup: Markup }

/** In the order of the page: what happened first, then what was promised, then how to see it again. */
function sectionsOf(
  { report, course, catalogue, nowMs }: RenderInput,
  charts: ChartData | undefined,
): Section[] {
  return [
    { id: 'changed', name: 'What changed', markup: changedSection(report) },
    { id: 'capacity', name: 'Load', markup: capacitySection(report) },
    { id: 'latency', name: 'Latency', markup: latencySection({ report, course, charts }) },
    { id: 'limits', name: 'Limits', markup: limitsSection(report) },
    { id: 'rules', name: 'Rules', markup: rulesSection(report, catalogue) },
    { id: 'slo', name: 'Objectives', markup: sloSection(report) },
    { id: 'feed', name: 'Live feed', markup: feedSection(report, charts) },
    { id: 'limited', name: 'What limited it', markup: limitedSection(report) },
    { id: 'again', name: 'Run again', markup: runSection(report, new Date(nowMs).toISOString()) },
    { id: 'notes', name: 'Notes', markup: notesSection(report) },
  ]
}

function navigation(sections: readonly Section[], timeline: TimelineRead | undefined): Markup {
  return html`<nav aria-label="Sections">${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}${timeline === undefined ? html`` : html`<a href="${RUN_FILES.timelineHtml}">Timeline</a>`}</nav>`
}

function readBeside(file: string): string {
  return readText(new URL(file, import.meta.url))
}
