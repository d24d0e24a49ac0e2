import { getAxisUnit } from '../../contract/capacity.ts'
import type { Report } from '../../contract/report.ts'
import { figure } from '../objective-text.ts'
import { visible } from '../visible.ts'
import { html, jsonInScript, selfContainedPage, trusted } from './markup.ts'
import { reportScripts, reportStyles } from './page-scripts.ts'
import { type PageData, type RenderInput, renderContent } from './render-html.ts'

/** All that the live page shows at one moment. Each event of its stream is one of these, as JSON. */
export type LiveState = {
  /** The run has ended: no other state follows. */
  isOver: boolean
  title: string
  /** One sentence for screen readers too, so it changes only when something happened. */
  status: string
  /** HTML. */
  content: string
  data: PageData
}

export const NO_DATA: PageData = { time: null, steps: [] }

/** Before the run has a folder. */
export function waitingState(): LiveState {
  const content = html`<header class="running">
<p class="kind">Breakwater</p>
<h1>Starting</h1>
</header>
<main id="main"></main>`
  return {
    isOver: false,
    title: 'starting: Breakwater',
    status: 'The run has not started yet.',
    content: content.markup,
    data: NO_DATA,
  }
}

/** The state of a run folder, whose run.json says whether it has ended. */
export function liveState(input: RenderInput): LiveState {
  const { report } = input
  const { job, verdict, run } = report
  const isOver = run.state !== 'running'
  const { content, data } = renderContent(input, { isRunning: !isOver })
  return {
    isOver,
    title: visible(`${isOver ? verdict : 'running'}: ${job} of ${run.target.name}`),
    status: isOver ? `The run has ended: ${verdict}. This page no longer changes.` : describeProgress(report),
    content: content.markup,
    data,
  }
}

/** A killed run has not finished either. */
function describeProgress({ capacity }: Report): string {
  const last = capacity?.trials.at(-1)
  if (last === undefined) return 'The run has not finished.'
  const { trial, axis, rate, outcome } = last
  return `The run has not finished. Trial ${trial} at ${figure(rate)} ${getAxisUnit(axis)} ended: ${outcome}.`
}

/** The page with its first state. Its content security policy allows only its own server. */
export function renderLivePage(
  { isOver, title, status, content, data }: LiveState,
  styles: readonly string[] = reportStyles(),
): string {
  return selfContainedPage({
    title,
    styles,
    scripts: reportScripts('live'),
    connect: "'self'",
    body: html`<p id="status" class="quiet" aria-live="polite">${status}</p>
<noscript><p><a href="">Reload</a> the page for newer figures.</p></noscript>
<div id="live"${isOver ? html` data-over` : html``}>${trusted(content)}</div>
<script type="application/json" id="data">${jsonInScript(data)}</script>`,
  })
}
