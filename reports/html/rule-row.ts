import type { RuleResult } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { shortened } from '../visible.ts'
import { html, type Markup } from './markup.ts'
import { cell } from './table.ts'
import { verdictBadge } from './verdict-badge.ts'

const TEXT_LENGTH_MAX = 4000

/** What was expected and observed of a rule, its evidence folded. */
export function ruleRow(result: RuleResult, rule: Rule | undefined): Markup {
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
