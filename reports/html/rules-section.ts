import { VERDICTS, type Verdict } from '../../contract/finding.ts'
import type { Report, RuleResult } from '../../contract/report.ts'
import type { Rule } from '../../contract/rule.ts'
import { countVerdicts, groupOf } from '../verdict-counts.ts'
import { nothingOf } from './empty-states.ts'
import { html, type Markup } from './markup.ts'
import { ruleRow } from './rule-row.ts'
import { table } from './table.ts'

/** The rules that failed or stayed open, worst first; those that held or were skipped folded by group; buttons that filter. */
export function rulesSection({ rules, unknownRules, job }: Report, catalogue: readonly Rule[]): Markup {
  if (rules.length === 0) {
    return html`<section aria-labelledby="rules"><h2 id="rules">Rules</h2>
${nothingOf('rules', job)}
</section>`
  }
  const byId = new Map(catalogue.map((rule) => [rule.id, rule]))
  const ofVerdict = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict)
  const isFew = rules.length <= UNFOLDED_MAX
  const shown = VERDICTS.filter((verdict) => isFew || !FOLDED.includes(verdict)).flatMap(ofVerdict)
  return html`<section aria-labelledby="rules">
<h2 id="rules">Rules</h2>
${filterButtons(rules)}
${shown.length === 0 ? html`` : ruleTable('Rules, the worst verdict first', shown, byId)}
${isFew ? html`` : FOLDED.map((verdict) => foldedGroups(verdict, ofVerdict(verdict), byId))}
${unknownRules.length === 0 ? html`` : html`<p class="quiet">Not in the catalogue, so not judged: <bdi>${unknownRules.join(', ')}</bdi></p>`}
</section>`
}

/** Of these there are many, and each asks for little: what they saw is there for those who open them. */
const FOLDED: readonly Verdict[] = ['pass', 'skipped']
/** So many rules are all shown. */
const UNFOLDED_MAX = 8

const SAID: Readonly<Partial<Record<Verdict, string>>> = { pass: 'held', skipped: 'skipped' }

function foldedGroups(
  verdict: Verdict,
  results: readonly RuleResult[],
  byId: ReadonlyMap<string, Rule>,
): Markup {
  const groups = [...new Set(results.map(({ id }) => groupOf(id)))]
  return html`${groups.map((group) => {
    const own = results.filter(({ id }) => groupOf(id) === group)
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
