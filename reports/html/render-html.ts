import { createRequire } from 'node:module'
import type { Report } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { RUN_FILES } from '../../contract/run.ts'
import type { Windows } from '../series/windows.ts'
import type { TimelineRead } from '../timeline/read-timeline.ts'
import { countSentence } from '../verdict-counts.ts'
import { capacitySection } from './capacity-section.ts'
import { chartData } from './chart-data.ts'
import { chartLibrary } from './chart-library.ts'
import { latencySection } from './latency-section.ts'
import { html, jsonInScript, type Markup } from './markup.ts'
import { readText, selfContainedPage } from './page-parts.ts'
import { rulesSection } from './rules-section.ts'
import { runSection } from './run-section.ts'
import { sloSection } from './slo-section.ts'
import { stepCharts } from './step-charts.ts'
import { verdictBadge } from './verdict-badge.ts'

export type RenderInput = {
  report: Report
  windows: Windows
  catalogue: readonly Rule[]
  /** Milliseconds since the epoch: when the report was made. */
  nowMs: number
  /** Of a case that was played, which has a page of its own. */
  timeline?: TimelineRead | undefined
}

/** A run as one HTML file that needs no network, and by its own policy could not use one. */
export function renderHtml({ report, windows, catalogue, nowMs, timeline }: RenderInput): string {
  const pageScript = readText(new URL('page.js', import.meta.url))
  return selfContainedPage({
    title: `${report.verdict}: ${report.job} of ${report.run.target.name}`,
    styles: [
      readText(createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css')),
      readText(new URL('page.css', import.meta.url)),
    ],
    scripts: [chartLibrary(), pageScript],
    body: html`<main>
${banner(report, timeline)}
${capacitySection(report)}
${rulesSection(report, catalogue)}
${sloSection(report)}
${latencySection(report)}
${runSection(report, new Date(nowMs).toISOString())}
</main>
<script type="application/json" id="data">${jsonInScript({ time: chartData(windows) ?? null, steps: stepCharts(report) })}</script>`,
  })
}

function banner(report: Report, timeline: TimelineRead | undefined): Markup {
  const { run, generator } = report
  const remark = report.notes[0]
  return html`<header class="${report.verdict}">
<p class="kind">Breakwater ${report.job} of <bdi>${run.target.name}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p${report.capacity === null ? html`` : html` class="statement"`}><bdi>${capitalised(countSentence(report))}.</bdi></p>
${remark === undefined ? html`` : html`<p class="remark"><bdi>${remark}</bdi>${report.notes.length > 1 ? html` <a href="#notes">${report.notes.length - 1} more</a>` : html``}</p>`}
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}
<div><dt>Requests</dt><dd>${generator.requests} in ${generator.measuredSeconds} s, ${generator.failedRequests} failed, ${generator.droppedIterations} iterations dropped</dd></div></dl>
${navigation(report, timeline)}
</header>`
}

/** The table of rules is long: what stands below it must be found. */
function navigation({ rules, slo, notes, capacity }: Report, timeline: TimelineRead | undefined): Markup {
  const places: (readonly [id: string, name: string, there: boolean])[] = [
    ['capacity', 'Load', capacity !== null],
    ['rules', 'Rules', rules.length > 0],
    ['slo', 'Objectives', slo !== null],
    ['latency', 'Latency', true],
    ['again', 'Run again', true],
    ['notes', 'Notes', notes.length > 0],
  ]
  const links = places.filter(([, , there]) => there)
  return html`<nav>${links.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}${timeline === undefined ? html`` : html`<a href="${RUN_FILES.timelineHtml}">Timeline</a>`}</nav>`
}

function capitalised(text: string): string {
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
