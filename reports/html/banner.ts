import type { Report } from '../../contract/report.ts'
import { objectiveText } from '../objective-text.ts'
import { countSentence } from '../verdict-counts.ts'
import { html, type Markup, verdictBadge } from './markup.ts'

/** The top of the page: verdict, failures and facts. */
export function banner(report: Report): Markup {
  const { run, notes } = report
  const remark = notes[0]
  return html`<header class="${report.verdict}">
<p class="kind">Breakwater ${report.job} of <bdi>${run.target.name}</bdi></p>
<h1>${verdictBadge(report.verdict)}</h1>
<p${report.capacity === null ? html`` : html` class="statement"`}><bdi>${capitalized(countSentence(report))}.</bdi></p>
${remark === undefined ? html`` : html`<p class="remark"><bdi>${remark}</bdi>${notes.length > 1 ? html` <a href="#notes">${notes.length - 1} more</a>` : html``}</p>`}
${failures(report)}
${factList(report, [...facts(report), ['Finished', report.run.finishedAt ?? 'never'], ['Exit code', String(report.exitCode)]])}
</header>`
}

/** The top of the live page during the run, without a verdict. */
export function runningBanner(report: Report): Markup {
  return html`<header class="running">
<p class="kind">Breakwater ${report.job} of <bdi>${report.run.target.name}</bdi></p>
<h1>Running</h1>
${factList(report, facts(report))}
</header>`
}

type Fact = readonly [name: string, value: string]

function factList({ generator }: Report, facts: readonly Fact[]): Markup {
  const { requests, measuredSeconds, failedRequests, droppedIterations } = generator
  return html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}
<div><dt>Requests</dt><dd>${requests} in ${measuredSeconds} s, ${failedRequests} failed, ${droppedIterations} iterations dropped</dd></div></dl>`
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

function facts({ run }: Report): Fact[] {
  const all: (readonly [string, string | null])[] = [
    ['Target', run.target.baseUrl],
    ['World', run.world],
    ['Seed', run.seed === null ? null : String(run.seed)],
    ['Choices', run.choices],
    ['Mutant', run.mutant],
    ['Machine', run.machine],
    ['Generators', run.instances === 1 ? null : String(run.instances)],
    ['Started', run.startedAt],
  ]
  return all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}
