import type { Report } from '../../contract/report.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { foldActors } from '../timeline/fold-actors.ts'
import type { TimelineRead } from '../timeline/read-timeline.ts'
import { scaleOf } from '../timeline/scale.ts'
import { countSentence } from '../verdict-counts.ts'
import { html, type Markup } from './markup.ts'
import { readText, selfContainedPage } from './page-parts.ts'
import { pageStyles } from './page-styles.ts'
import { timelineLanes } from './timeline-lanes.ts'
import { timelineStory } from './timeline-story.ts'
import { verdictBadge } from './verdict-badge.ts'

/** A case that was played, as a page: who did what, when, and what came of it. */
export function renderTimeline(options: {
  report: Report
  played: NonNullable<Run['repro']>
  timeline: TimelineRead
}): string {
  const { report, played, timeline } = options
  const { lines, notes } = timeline
  const lanes = foldActors(lines)
  return selfContainedPage({
    title: `${report.verdict}: ${played.title}`,
    styles: [...pageStyles(), readText(new URL('timeline.css', import.meta.url))],
    scripts: [readText(new URL('timeline.js', import.meta.url))],
    body: html`${banner(report, played)}
<main id="main" class="timeline">
${notes.map((note) => html`<p class="remark">${note}</p>`)}
${
  lines.length === 0
    ? html`<p>Nothing was told: the case ended before it began.</p>`
    : html`${timelineLanes(lanes, scaleOf(lines))}
${timelineStory(lanes, lines)}`
}
</main>`,
  })
}

function banner(report: Report, { name, title, story }: NonNullable<Run['repro']>): Markup {
  const { run, verdict } = report
  return html`<header class="${verdict}">
<p class="kind">Breakwater repro <bdi>${name}</bdi> of <bdi>${run.target.name}</bdi></p>
<h1><bdi>${title}</bdi></h1>
<p>${verdictBadge(verdict)} ${countSentence(report)}</p>
<p><bdi>${story}</bdi></p>
<pre class="command">${run.command}</pre>
</header>
<nav aria-label="Sections"><a href="#lanes">Lanes</a> <a href="#story">What happened</a> <a href="${RUN_FILES.reportHtml}">Report</a></nav>`
}
