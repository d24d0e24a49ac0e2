import type { LimitResult } from '../../contract/limit-result.ts'
import type { Report, RuleResult } from '../../contract/report.ts'
import { shortened } from '../visible.ts'
import { nothingOf } from './empty-states.ts'
import { html, type Markup } from './markup.ts'
import { cell, table } from './table.ts'
import { verdictBadge } from './verdict-badge.ts'

const TEXT_LENGTH_MAX = 600
const EVIDENCE_MAX = 3

/** What the specification limits, what was observed of it, and how to judge one limit alone. */
export function limitsSection({ limits, rules, job }: Pick<Report, 'limits' | 'rules' | 'job'>): Markup {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  return html`<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
${
  limits.length === 0
    ? nothingOf('limits', job)
    : table({
        kind: 'limits',
        caption: 'Limits of the specification: promised, observed, verdict, and the command for each',
        columns: ['Verdict', 'Limit', 'Promised', 'Observed'],
        rows: limits.map((limit) => limitRow(limit, byId)),
      })
}
</section>`
}

function limitRow(limit: LimitResult, byId: ReadonlyMap<string, RuleResult>): Markup {
  const results = limit.rules.flatMap((id) => byId.get(id) ?? [])
  const failed = results.filter(({ verdict }) => verdict === 'fail')
  const waived = failed.length > 0 && failed.every(({ waiver }) => waiver !== null)
  return html`<tr>
<td>${verdictBadge(limit.verdict)}${waived ? html` <span class="quiet">waived</span>` : html``}</td>
<th scope="row">${limit.name}<p class="quiet">${limit.appliesTo}</p></th>
${cell('Promised', limit.promised)}
${cell(
  'Observed',
  html`<bdi>${shortened(limit.observed, TEXT_LENGTH_MAX)}</bdi>${limit.reason === null ? html`` : html`<p class="quiet"><bdi>${shortened(limit.reason, TEXT_LENGTH_MAX)}</bdi></p>`}
<details><summary>${results.length === 0 ? 'how to judge it' : 'evidence, and how to judge it alone'}</summary>
${results.map(ruleEvidence)}<pre class="command">${limit.command}</pre></details>`,
)}
</tr>
`
}

function ruleEvidence({ id, verdict, observed, evidence }: RuleResult): Markup {
  const left = evidence.length - EVIDENCE_MAX
  return html`<p>${verdictBadge(verdict)} <code>${id}</code> <bdi>${shortened(observed, TEXT_LENGTH_MAX)}</bdi></p>
${evidence.slice(0, EVIDENCE_MAX).map((line) => html`<pre dir="auto">${shortened(line, TEXT_LENGTH_MAX)}</pre>`)}${left > 0 ? html`<p class="quiet">${left} more with the rule below.</p>` : html``}
`
}
