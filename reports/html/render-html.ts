import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Report } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import type { Windows } from '../series/windows.ts'
import { countSentence } from '../verdict-counts.ts'
import { chartData } from './chart-data.ts'
import { latencySection } from './latency-section.ts'
import { html, jsonInScript, type Markup, trusted } from './markup.ts'
import { rulesSection } from './rules-section.ts'
import { runSection } from './run-section.ts'
import { sloSection } from './slo-section.ts'
import { verdictBadge } from './verdict-badge.ts'

export type RenderInput = {
  report: Report
  windows: Windows
  catalogue: readonly Rule[]
  /** Milliseconds since the epoch: when the report was made. */
  nowMs: number
}

/** A run as one HTML file that needs no network, and by its own policy could not use one. */
export function renderHtml({ report, windows, catalogue, nowMs }: RenderInput): string {
  const chartLibrary = readText(createRequire(import.meta.url).resolve('uplot/dist/uPlot.iife.min.js'))
  const pageScript = readText(new URL('page.js', import.meta.url))
  const style = `${readText(createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css'))}\n${readText(new URL('page.css', import.meta.url))}`
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(chartLibrary)} ${hashSource(pageScript)}`,
    `style-src ${hashSource(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${report.verdict}: ${report.job} of ${report.run.target.name}</title>
<style>${trusted(style)}</style>
</head>
<body>
<main>
${banner(report)}
${rulesSection(report, catalogue)}
${sloSection(report)}
${latencySection(report)}
${runSection(report, new Date(nowMs).toISOString())}
</main>
<script type="application/json" id="data">${jsonInScript(chartData(windows) ?? null)}</script>
<script>${trusted(chartLibrary)}</script>
<script>${trusted(pageScript)}</script>
</body>
</html>
`.markup
}

function banner(report: Report): Markup {
  const { run, generator } = report
  const remark = report.notes[0]
  return html`<header class="${report.verdict}">
<p class="kind">Breakwater ${report.job} of <bdi>${run.target.name}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p>${capitalised(countSentence(report))}.</p>
${remark === undefined ? html`` : html`<p class="remark"><bdi>${remark}</bdi>${report.notes.length > 1 ? html` <a href="#notes">${report.notes.length - 1} more</a>` : html``}</p>`}
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}
<div><dt>Requests</dt><dd>${generator.requests} in ${generator.measuredSeconds} s, ${generator.failedRequests} failed, ${generator.droppedIterations} iterations dropped</dd></div></dl>
${navigation(report)}
</header>`
}

/** The table of rules is long: what stands below it must be found. */
function navigation({ rules, slo, notes }: Report): Markup {
  const places: (readonly [id: string, name: string, there: boolean])[] = [
    ['rules', 'Rules', rules.length > 0],
    ['slo', 'Objectives', slo !== null],
    ['latency', 'Latency', true],
    ['again', 'Run again', true],
    ['notes', 'Notes', notes.length > 0],
  ]
  const links = places.filter(([, , there]) => there)
  return html`<nav>${links.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav>`
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
    ['Started', run.startedAt],
    ['Finished', run.finishedAt ?? 'never'],
    ['Exit code', String(exitCode)],
  ]
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

function readText(file: string | URL): string {
  return readFileSync(file, 'utf8')
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
