import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { VERDICTS } from '../../contract/finding.ts'
import type { HuntDocument } from '../../contract/hunt-report.ts'
import { huntSentence, perMinute } from '../hunt-text.ts'
import { foldActors } from '../timeline.ts'
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
import { plainStory } from './render-timeline.ts'

type Finding = HuntDocument['findings'][number]

/** The page of a hunt: each violation with its minimal schedule and a timeline, and a table of all client rules. */
export function renderHuntHtml(hunt: HuntDocument): string {
  return selfContainedPage({
    title: `${hunt.verdict}: breakwater hunt`,
    styles: huntStyles(),
    scripts: [],
    body: huntContent(hunt),
  })
}

export function huntStyles(): string[] {
  return [...pageStyles(), readText(new URL('timeline.css', import.meta.url))]
}

/** All parts of the page. `elapsedMs`: the hunt goes on since then, and has no verdict yet. */
export function huntContent(hunt: HuntDocument, { elapsedMs }: { elapsedMs?: number } = {}): Markup {
  const isRunning = elapsedMs !== undefined
  return html`<header class="${isRunning ? 'running' : hunt.verdict}">
<p class="kind">Breakwater hunt</p>
<h1>${isRunning ? 'Running' : verdictBadge(hunt.verdict)}</h1>
<p>${huntSentence(hunt)}.</p>
<dl>
${isRunning ? fact('Pace', `${perMinute(hunt.schedules, elapsedMs)} schedules/min, ${perMinute(hunt.runs, elapsedMs)} runs/min`) : html``}
${fact('Started', hunt.startedAt)}
${fact('Seed', String(hunt.seed))}
${fact('Coverage', `${hunt.situations} states and events`)}
${fact('Specification', hunt.specification)}
${fact('Breakwater', hunt.breakwater)}
</dl>
<pre class="command">${hunt.command}</pre>
</header>
<main id="main" class="timeline">
${findingsSection(hunt, isRunning ? 'Its case is saved when the hunt ends.' : 'Its case could not be saved.')}
${casesSection(hunt)}
${dutiesSection(hunt)}
</main>`
}

function fact(name: string, value: string): Markup {
  return html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`
}

function findingsSection({ findings }: HuntDocument, unsaved: string): Markup {
  return html`<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>
${
  findings.length === 0
    ? html`<p>No schedule made the client violate a rule. This shows nothing about rules that were not exercised.</p>`
    : findings.map((finding, place) => findingPart(finding, { place, unsaved }))
}
</section>`
}

function findingPart(finding: Finding, { place, unsaved }: { place: number; unsaved: string }): Markup {
  const { rule, client, observed, advice, faults, reproduced, timeline, file } = finding
  const id = `finding-${place + 1}`
  return html`<section class="finding" aria-labelledby="${id}">
<h3 id="${id}"><code>${rule}</code> <bdi>${client}</bdi></h3>
<p><bdi>${observed}</bdi></p>
<p class="quiet">${advice}</p>
<h4>Minimal schedule</h4>
<ul>${faults.map((fault) => html`<li><bdi>${fault}</bdi></li>`)}</ul>
<p>Found by schedule ${finding.schedule}. ${reproduced.times} of ${reproduced.of} confirming runs showed the violation.
${file === '' ? unsaved : html`Its case is <code>${file}</code>.`}</p>
<details><summary>Timeline (${timeline.length} events)</summary>
<p class="quiet">Time since the first event of the run. Events that prove the violation name the rule.</p>
${plainStory(foldActors(timeline), timeline)}
</details>
</section>
`
}

function casesSection({ cases }: HuntDocument): Markup {
  if (cases.length === 0) return html``
  return html`<section aria-labelledby="cases">
<h2 id="cases">Cases of earlier hunts</h2>
${table({
  kind: 'rules',
  caption: 'Cases of earlier hunts, and whether they still reproduce',
  columns: ['Verdict', 'Case', 'Rule', 'Observed when it was saved'],
  rows: cases.map(
    ({ file, rule, observed, reproduces }) => html`<tr>
<td>${verdictBadge(reproduces ? 'fail' : 'pass')}</td>
<th scope="row"><bdi>${file}</bdi></th>
${cell('Rule', html`<code>${rule}</code>`)}
${cell('Observed', html`<bdi>${observed}</bdi>`)}
</tr>
`,
  ),
})}
</section>`
}

const STATEMENTS = new Map(CLIENT_RULES.map(({ id, statement }) => [id, statement]))

function dutiesSection({ duties, schedules }: HuntDocument): Markup {
  const ordered = VERDICTS.flatMap((wanted) => duties.filter(({ verdict }) => verdict === wanted))
  return html`<section aria-labelledby="duties">
<h2 id="duties">Client rules <span class="quiet">${schedules} schedules</span></h2>
${table({
  kind: 'rules',
  caption: 'Client rules, worst verdict first, with the number of schedules that exercised and violated each',
  columns: ['Verdict', 'Rule', 'Exercised in schedules', 'Violated in schedules'],
  rows: ordered.map(
    ({ rule, verdict, exercised, violated }) => html`<tr>
<td>${verdict === 'skipped' ? html`<span class="badge skipped">not exercised</span>` : verdictBadge(verdict)}</td>
<th scope="row"><code>${rule}</code><p>${STATEMENTS.get(rule) ?? ''}</p></th>
${cell('Exercised', `${exercised} of ${schedules}`)}
${cell('Violated', `${violated} of ${schedules}`)}
</tr>
`,
  ),
})}
</section>`
}
