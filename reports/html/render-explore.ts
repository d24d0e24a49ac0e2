import type { ExploreDocument } from '../../contract/explore-report.ts'
import { exploreSentence } from '../explore-text.ts'
import { secondsText } from '../timeline.ts'
import {
  cell,
  html,
  type Markup,
  pageStyles,
  readText,
  selfContainedPage,
  table,
  verdictBadge,
} from './markup.ts'

type Finding = ExploreDocument['findings'][number]

/** The page of an exploration: each violation with its shortest sequence, and what could not be judged. */
export function renderExploreHtml(report: ExploreDocument): string {
  return selfContainedPage({
    title: `${report.verdict}: breakwater explore`,
    styles: [...pageStyles(), readText(new URL('timeline.css', import.meta.url))],
    scripts: [],
    body: html`<header class="${report.verdict}">
<p class="kind">Breakwater explore of <bdi>${report.target}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p>${exploreSentence(report)}.</p>
<dl>
${fact('Started', report.startedAt)}
${fact('Seed', String(report.seed))}
${fact('Requests', String(report.requests))}
${fact('Specification', report.specification)}
${fact('Breakwater', report.breakwater)}
</dl>
<pre class="command">${report.command}</pre>
</header>
<main id="main" class="timeline">
<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>
${
  report.findings.length === 0
    ? html`<p>No violation was confirmed. This shows nothing about sequences that were not tried.</p>`
    : report.findings.map(findingPart)
}
</section>
${remarks(report)}
</main>`,
  })
}

function fact(name: string, value: string): Markup {
  return html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`
}

function findingPart(finding: Finding, place: number): Markup {
  const { rule, command, expected, observed, confirmed, path, steps, file, length } = finding
  const id = `finding-${place + 1}`
  return html`<section class="finding" aria-labelledby="${id}">
<h3 id="${id}"><code>${rule}</code> <bdi>${command}</bdi></h3>
<p>Expected: <bdi>${expected}</bdi></p>
<p>Observed: <bdi>${observed}</bdi></p>
<p class="quiet">Found by sequence ${path}; ${confirmed.times} of ${confirmed.of} repetitions showed it. ${file === '' ? 'Its case could not be saved.' : html`Its case is <code>${file}</code>.`}</p>
${table({
  kind: 'rules',
  caption: `The shortest sequence: ${length} commands. Commands of one turn were sent at the same time.`,
  columns: ['Turn', 'Time', 'Command', 'Outcome'],
  rows: steps.map(
    ({ turn, atMs, text, status }) => html`<tr>
<td>${turn + 1}</td>
${cell('Time', secondsText(atMs))}
<th scope="row"><bdi>${text}</bdi></th>
${cell('Outcome', html`<bdi>${status}</bdi>`)}
</tr>
`,
  ),
})}
</section>
`
}

function remarks({ unconfirmed, unjudged, notExplored }: ExploreDocument): Markup {
  const lines = [
    ...unconfirmed.map(
      ({ rule, path, observed }) => `${rule}, seen in sequence ${path}, was not confirmed: ${observed}`,
    ),
    ...unjudged.map(({ path, reason }) => `sequence ${path} was not judged completely: ${reason}`),
    ...notExplored.map(({ command, reason }) => `${command} was not explored: ${reason}`),
  ]
  if (lines.length === 0) return html``
  return html`<section aria-labelledby="remarks">
<h2 id="remarks">Not judged</h2>
<ul>${lines.map((line) => html`<li><bdi>${line}</bdi></li>`)}</ul>
</section>`
}
