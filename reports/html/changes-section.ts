import type { Changes, Report } from '../../contract/report.ts'
import { changedRuleLists, changesSentence, groupText } from '../find-changes.ts'
import { figure } from '../objective-text.ts'
import { cell, html, type Markup, table } from './markup.ts'

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
