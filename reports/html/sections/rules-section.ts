import { VERDICTS, type Verdict } from '../../../contract/finding.ts'
import type { Changes, LimitResult, Report, RuleResult } from '../../../contract/report.ts'
import type { Rule } from '../../../contract/rule.ts'
import { RUN_FILES } from '../../../contract/run.ts'
import { changedRuleLists, changesSentence, groupText } from '../../find-changes.ts'
import { figure } from '../../objective-text.ts'
import { countVerdicts, parseRuleGroup } from '../../verdict-counts.ts'
import { shortened } from '../../visible.ts'
import { cell, html, type Markup, renderPlaceholder, table, verdictBadge } from '../markup.ts'

/** The rules that failed or are inconclusive, worst first; passed and skipped rules folded by group; buttons that filter. */
export function rulesSection({ rules, unknownRules, job }: Report, catalogue: readonly Rule[]): Markup {
  if (rules.length === 0) {
    return html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2>
${renderPlaceholder('rules', job)}
</section>`
  }
  const byId = new Map(catalogue.map((rule) => [rule.id, rule]))
  const ofVerdict = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict)
  const isFew = rules.length <= UNFOLDED_MAX
  const shown = VERDICTS.filter((verdict) => isFew || !FOLDED.includes(verdict)).flatMap(ofVerdict)
  return html`<section aria-labelledby="rules">
<h2 id="rules">Rules</h2>
${filterButtons(rules)}
${shown.length === 0 ? html`` : ruleTable('Rules, worst verdict first', shown, byId)}
${isFew ? html`` : FOLDED.map((verdict) => foldedGroups(verdict, ofVerdict(verdict), byId))}
${unknownRules.length === 0 ? html`` : html`<p class="quiet">Not in the catalogue, so not judged: <bdi>${unknownRules.join(', ')}</bdi></p>`}
</section>`
}

/** Numerous and rarely of interest, so folded. */
const FOLDED: readonly Verdict[] = ['pass', 'skipped']
const UNFOLDED_MAX = 8

const SAID: Readonly<Partial<Record<Verdict, string>>> = { pass: 'passed', skipped: 'skipped' }

function foldedGroups(
  verdict: Verdict,
  results: readonly RuleResult[],
  byId: ReadonlyMap<string, Rule>,
): Markup {
  const groups = [...new Set(results.map(({ id }) => parseRuleGroup(id)))]
  return html`${groups.map((group) => {
    const own = results.filter(({ id }) => parseRuleGroup(id) === group)
    const name = `${group}: ${own.length} ${SAID[verdict] ?? verdict}`
    return html`<details class="folded" data-verdict="${verdict}"><summary><bdi>${name}</bdi></summary>
${ruleTable(name, own, byId)}
</details>
<p class="on-paper" data-verdict="${verdict}"><bdi>${name}: ${own.map(({ id }) => id).join(', ')}</bdi></p>
`
  })}`
}

function ruleTable(caption: string, results: readonly RuleResult[], byId: ReadonlyMap<string, Rule>): Markup {
  return table({
    kind: 'rules',
    caption,
    columns: ['Verdict', 'Rule', 'Expected', 'Observed'],
    rows: results.map((result) => ruleRow(result, byId.get(result.id))),
  })
}

function filterButtons(rules: readonly RuleResult[]): Markup {
  const counts = countVerdicts(rules)
  const shown = VERDICTS.filter((verdict) => counts[verdict] > 0)
  const button = (filter: Verdict | 'all', count: number) =>
    html`<button type="button" data-filter="${filter}" aria-pressed="${String(filter === 'all')}">${filter} <b>${count}</b></button>`
  return html`<p class="filter" role="group" aria-label="Rules shown, by verdict" hidden>${[button('all', rules.length), ...shown.map((verdict) => button(verdict, counts[verdict]))]}</p>`
}

const TEXT_LENGTH_MAX = 4000
const SOURCE = { file: RUN_FILES.findings }

function ruleRow(result: RuleResult, rule: Rule | undefined): Markup {
  return html`<tr data-verdict="${result.verdict}">
<td>${verdictBadge(result.verdict)}${result.waiver === null ? html`` : html` <span class="quiet">waived</span>`}</td>
<th scope="row"><code>${result.id}</code>${rule === undefined ? html`` : html`<p>${rule.statement} <span class="quiet">${rule.section}</span></p>`}</th>
${cell('Expected', html`<bdi>${shortened(result.expected, TEXT_LENGTH_MAX, SOURCE)}</bdi>`)}
${cell('Observed', observed(result))}
</tr>
`
}

function observed({ observed, reason, evidence, waiver }: RuleResult): Markup {
  const seen = observed === '' ? html`` : html`<bdi>${shortened(observed, TEXT_LENGTH_MAX, SOURCE)}</bdi>`
  const why =
    reason === null
      ? html``
      : html`<p class="quiet"><bdi>${shortened(reason, TEXT_LENGTH_MAX, SOURCE)}</bdi></p>`
  const waived =
    waiver === null
      ? html``
      : html`<p>Waived until ${waiver.until}: <bdi>${shortened(waiver.reason, TEXT_LENGTH_MAX)}</bdi></p>`
  const shown = evidence.map(
    (line) => html`<pre dir="auto">${shortened(line, TEXT_LENGTH_MAX, SOURCE)}</pre>`,
  )
  const details =
    evidence.length === 0
      ? html``
      : html`<details><summary>evidence (${evidence.length})</summary>${shown}</details>`
  return html`${seen}${why}${waived}${details}`
}

const LIMIT_TEXT_LENGTH_MAX = 600
const EVIDENCE_MAX = 3

/** The limits of the specification, the observed values, and the command that judges one limit alone. */
export function limitsSection({ limits, rules, job }: Pick<Report, 'limits' | 'rules' | 'job'>): Markup {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  return html`<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
${
  limits.length === 0
    ? renderPlaceholder('limits', job)
    : table({
        kind: 'limits',
        caption:
          'Limits of the specification: verdict, documented and observed value, and the command for each',
        columns: ['Verdict', 'Limit', 'Specified', 'Observed'],
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
${cell('Specified', limit.specified)}
${cell(
  'Observed',
  html`<bdi>${shortened(limit.observed, LIMIT_TEXT_LENGTH_MAX, SOURCE)}</bdi>${limit.reason === null ? html`` : html`<p class="quiet"><bdi>${shortened(limit.reason, LIMIT_TEXT_LENGTH_MAX)}</bdi></p>`}
<details><summary>${results.length === 0 ? 'command to judge it' : 'evidence and command to judge it alone'}</summary>
${results.map(ruleEvidence)}<pre class="command">${limit.command}</pre></details>`,
)}
</tr>
`
}

function ruleEvidence({ id, verdict, observed, evidence }: RuleResult): Markup {
  const left = evidence.length - EVIDENCE_MAX
  return html`<p>${verdictBadge(verdict)} <code>${id}</code> <bdi>${shortened(observed, LIMIT_TEXT_LENGTH_MAX, SOURCE)}</bdi></p>
${evidence.slice(0, EVIDENCE_MAX).map((line) => html`<pre dir="auto">${shortened(line, LIMIT_TEXT_LENGTH_MAX, SOURCE)}</pre>`)}${left > 0 ? html`<p class="quiet">${left} more in the rule below.</p>` : html``}
`
}

export function changesSection({ changes }: Pick<Report, 'changes'>): Markup {
  const { since, compareCommand } = changes
  return html`<section aria-labelledby="changes">
<h2 id="changes">Changes since the last run${since === null ? html`` : html` <span class="quiet"><bdi>${since.folder}</bdi></span>`}</h2>
<p><bdi>${changesSentence(changes)}</bdi></p>
${changedRuleLists(changes).map(
  ({ name, ids }) =>
    html`<details${ids.length <= OPEN_MAX ? html` open` : html``}><summary>${name} (${ids.length})</summary><ul class="ids">${ids.map((id) => html`<li><code>${id}</code></li>`)}</ul></details>
`,
)}
${pairsTable({
  caption: 'Changed objectives and facts',
  columns: ['Name', 'Before', 'Now'],
  pairs: [
    ...changes.objectives.map(({ objective, before, after }) => [objective, before, after] as const),
    ...changes.facts.map(({ name, before, after }) => [name, before, after] as const),
  ],
})}
${latencies(changes)}
${
  compareCommand === null
    ? html``
    : html`<p class="quiet">Two single runs cannot show a significant difference in latency. To compare repeated runs, use:</p>
<pre class="command">${compareCommand}</pre>`
}
</section>`
}

const OPEN_MAX = 8

function latencies({ latency, latencyReason, since }: Changes): Markup {
  if (since === null) return html``
  if (latency.length === 0) {
    const why = latencyReason ?? 'one of the two has too few requests'
    return html`<p class="quiet">Latencies are not compared: ${why}.</p>`
  }
  const p95 = pairsTable({
    caption: 'p95 of both runs in milliseconds (not judged)',
    columns: ['Requests', 'Before', 'Now'],
    pairs: latency.map(({ routeGroup, beforeMs, afterMs }) => [
      groupText(routeGroup),
      figure(beforeMs),
      figure(afterMs),
    ]),
  })
  return html`<details><summary>p95 of both runs in ms (not judged)</summary>
${p95}
</details>`
}

function pairsTable(options: {
  caption: string
  columns: readonly [string, string, string]
  pairs: readonly (readonly [what: string, was: string, is: string])[]
}): Markup {
  const { caption, columns, pairs } = options
  if (pairs.length === 0) return html``
  const [, then, now] = columns
  const rows = pairs.map(
    ([what, was, is]) => html`<tr>
<th scope="row"><bdi>${what}</bdi></th>
${cell(then, html`<bdi>${was}</bdi>`)}
${cell(now, html`<bdi>${is}</bdi>`)}
</tr>
`,
  )
  return table({ kind: 'pairs', caption, columns, rows })
}
