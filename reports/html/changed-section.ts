import type { Changed, Report } from '../../contract/report.ts'
import { figure } from '../objective-text.ts'
import { changedRuleLists, changedSentence, groupText } from '../what-changed.ts'
import { cell, html, type Markup, table } from './markup.ts'

export function changedSection({ changed }: Pick<Report, 'changed'>): Markup {
  const { since, compare } = changed
  return html`<section aria-labelledby="changed">
<h2 id="changed">Changes since the last run${since === null ? html`` : html` <span class="quiet"><bdi>${since.folder}</bdi></span>`}</h2>
<p><bdi>${changedSentence(changed)}</bdi></p>
${changedRuleLists(changed).map(
  ({ name, ids }) =>
    html`<details${ids.length <= OPEN_MAX ? html` open` : html``}><summary>${name} (${ids.length})</summary><ul class="ids">${ids.map((id) => html`<li><code>${id}</code></li>`)}</ul></details>
`,
)}
${pairsTable({
  caption: 'Changed objectives and facts',
  columns: ['Name', 'Before', 'Now'],
  pairs: [
    ...changed.objectives.map(({ objective, was, is }) => [objective, was, is] as const),
    ...changed.facts.map(({ name, was, is }) => [name, was, is] as const),
  ],
})}
${latencies(changed)}
${
  compare === null
    ? html``
    : html`<p class="quiet">Two single runs cannot show a significant difference in latency. To compare repeated runs, use:</p>
<pre class="command">${compare}</pre>`
}
</section>`
}

const OPEN_MAX = 8

function latencies({ latency, latencyReason, since }: Changed): Markup {
  if (since === null) return html``
  if (latency.length === 0) {
    const why = latencyReason ?? 'one of the two has too few requests'
    return html`<p class="quiet">Latencies are not compared: ${why}.</p>`
  }
  const p95 = pairsTable({
    caption: 'p95 of both runs in milliseconds (not judged)',
    columns: ['Requests', 'Before', 'Now'],
    pairs: latency.map(({ routeGroup, wasMs, isMs }) => [groupText(routeGroup), figure(wasMs), figure(isMs)]),
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
