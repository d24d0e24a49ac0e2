import type { Report } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { Windows } from '../series/windows.ts'
import type { TimelineRead } from '../timeline/read-timeline.ts'
import { banner } from './banner.ts'
import { capacitySection } from './capacity-section.ts'
import { changedSection } from './changed-section.ts'
import { chartData } from './chart-data.ts'
import { chartLibrary, chartStyle } from './chart-library.ts'
import { feedSection } from './feed-section.ts'
import { latencySection } from './latency-section.ts'
import { limitedSection } from './limited-section.ts'
import { limitsSection } from './limits-section.ts'
import { html, jsonInScript, type Markup } from './markup.ts'
import { notesSection } from './notes-section.ts'
import { readText, selfContainedPage } from './page-parts.ts'
import { rulesSection } from './rules-section.ts'
import { runSection } from './run-section.ts'
import { sloSection } from './slo-section.ts'
import { stepCharts } from './step-charts.ts'

export type RenderInput = {
  report: Report
  windows: Windows
  catalogue: readonly Rule[]
  /** Milliseconds since the epoch: when the report was made. */
  nowMs: number
  /** Of a case that was played, which has a page of its own. */
  timeline?: TimelineRead | undefined
}

/** A run as one HTML file that needs no network, and by its own policy could not use one. The verdict comes first. */
export function renderHtml(input: RenderInput): string {
  const { report, windows, timeline } = input
  const sections = sectionsOf(input).filter(({ markup }) => markup.markup !== '')
  return selfContainedPage({
    title: `${report.verdict}: ${report.job} of ${report.run.target.name}`,
    styles: [chartStyle(), ...['page.css', 'charts.css'].map(readBeside)],
    scripts: [chartLibrary(), ...['page.js', 'rules-filter.js'].map(readBeside)],
    body: html`${banner(report)}
${navigation(sections, timeline)}
<main id="main">
${sections.map(({ markup }) => markup)}
</main>
<script type="application/json" id="data">${jsonInScript({ time: chartData(windows) ?? null, steps: stepCharts(report) })}</script>`,
  })
}

/** A part of the page under a heading with this id; without markup it is left out. */
type Section = { id: string; name: string; markup: Markup }

/** In the order of the page: what happened first, then what was promised, then how to see it again. */
function sectionsOf({ report, catalogue, nowMs }: RenderInput): Section[] {
  return [
    { id: 'changed', name: 'What changed', markup: changedSection(report) },
    { id: 'capacity', name: 'Load', markup: capacitySection(report) },
    { id: 'latency', name: 'Latency', markup: latencySection(report) },
    { id: 'limits', name: 'Limits', markup: limitsSection(report) },
    { id: 'rules', name: 'Rules', markup: rulesSection(report, catalogue) },
    { id: 'slo', name: 'Objectives', markup: sloSection(report) },
    { id: 'feed', name: 'Live feed', markup: feedSection(report) },
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
