import type { Report } from '../../contract/report.ts'
import { countSentence } from '../verdict-counts.ts'
import { html, type Markup } from './markup.ts'
import { verdictBadge } from './verdict-badge.ts'

/** What the run came to, in a sentence, and what it was made with. */
export function banner(report: Report): Markup {
  const { run, generator, notes } = report
  const remark = notes[0]
  return html`<header class="${report.verdict}">
<p class="kind">Breakwater ${report.job} of <bdi>${run.target.name}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p${report.capacity === null ? html`` : html` class="statement"`}><bdi>${capitalised(countSentence(report))}.</bdi></p>
${remark === undefined ? html`` : html`<p class="remark"><bdi>${remark}</bdi>${notes.length > 1 ? html` <a href="#notes">${notes.length - 1} more</a>` : html``}</p>`}
<dl>${facts(report).map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}
<div><dt>Requests</dt><dd>${generator.requests} in ${generator.measuredSeconds} s, ${generator.failedRequests} failed, ${generator.droppedIterations} iterations dropped</dd></div></dl>
</header>`
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
