import { VERDICTS, type Verdict } from '../../contract/finding.ts'
import type { Report, RuleResult } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { countVerdicts } from '../verdict-counts.ts'
import { shortened } from '../visible.ts'
import { nothingOf } from './empty-states.ts'
import { html, type Markup } from './markup.ts'
import { cell, table } from './table.ts'
import { verdictBadge } from './verdict-badge.ts'

const TEXT_LENGTH_MAX = 4000

/** The table of rules, worst verdict first, with buttons that filter it. */
export function rulesSection({ rules, unknownRules, job }: Report, catalogue: readonly Rule[]): Markup {
  if (rules.length === 0) {
    return html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2>
${nothingOf('rules', job)}
</section>`
  }
  const byId = new Map(catalogue.map((rule) => [rule.id, rule]))
  const worstFirst = VERDICTS.flatMap((verdict) => rules.filter((rule) => rule.verdict === verdict))
  return html`<section aria-labelledby="rules">
<h2 id="rules">Rules</h2>
${filterButtons(rules)}
${table({
  kind: 'rules',
  caption: 'Rules that were judged, the worst verdict first',
  columns: ['Verdict', 'Rule', 'Expected', 'Observed'],
  rows: worstFirst.map((rule) => ruleRow(rule, byId.get(rule.id))),
})}
${unknownRules.length === 0 ? html`` : html`<p class="quiet">Not in the catalogue, so not judged: <bdi>${unknownRules.join(', ')}</bdi></p>`}
</section>`
}

function filterButtons(rules: readonly RuleResult[]): Markup {
  const counts = countVerdicts(rules)
  const shown = VERDICTS.filter((verdict) => counts[verdict] > 0)
  const button = (filter: Verdict | 'all', count: number) =>
    html`<button type="button" data-filter="${filter}" aria-pressed="${String(filter === 'all')}">${filter} <b>${count}</b></button>`
  return html`<p class="filter" role="group" aria-label="Rules shown, by verdict" hidden>${[button('all', rules.length), ...shown.map((verdict) => button(verdict, counts[verdict]))]}</p>`
}

function ruleRow(result: RuleResult, rule: Rule | undefined): Markup {
  return html`<tr data-verdict="${result.verdict}">
<td>${verdictBadge(result.verdict)}${result.waiver === null ? html`` : html` <span class="quiet">waived</span>`}</td>
<th scope="row"><code>${result.id}</code>${rule === undefined ? html`` : html`<p>${rule.statement} <span class="quiet">${rule.section}</span></p>`}</th>
${cell('Expected', html`<bdi>${shortened(result.expected, TEXT_LENGTH_MAX)}</bdi>`)}
${cell('Observed', observed(result))}
</tr>
`
}

function observed({ observed, reason, evidence, waiver }: RuleResult): Markup {
  const seen = observed === '' ? html`` : html`<bdi>${shortened(observed, TEXT_LENGTH_MAX)}</bdi>`
  const why =
    reason === null ? html`` : html`<p class="quiet"><bdi>${shortened(reason, TEXT_LENGTH_MAX)}</bdi></p>`
  const waived =
    waiver === null
      ? html``
      : html`<p>Waived until ${waiver.until}: <bdi>${shortened(waiver.reason, TEXT_LENGTH_MAX)}</bdi></p>`
  const shown = evidence.map((line) => html`<pre dir="auto">${shortened(line, TEXT_LENGTH_MAX)}</pre>`)
  const details =
    evidence.length === 0
      ? html``
      : html`<details><summary>evidence (${evidence.length})</summary>${shown}</details>`
  return html`${seen}${why}${waived}${details}`
}
