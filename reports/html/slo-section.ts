import type { Report } from '../../contract/report.ts'
import { focusText } from '../capacity/focus-trial.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import { nothingOf } from './empty-states.ts'
import { html, type Markup } from './markup.ts'
import { cell, table } from './table.ts'
import { verdictBadge } from './verdict-badge.ts'

/** The objectives and what was observed of each. */
export function sloSection({ slo, capacity, job }: Report): Markup {
  if (slo === null) {
    return html`<section aria-labelledby="slo"><h2 id="slo">Objectives</h2>
${nothingOf('slo', job)}
</section>`
  }
  const rows = slo.objectives.map(
    (objective) => html`<tr>
<td>${verdictBadge(objective.verdict)}</td>
<th scope="row"><bdi>${objectiveText(objective)}</bdi></th>
${cell('Observed', html`<bdi>${observedText(objective)}</bdi>`)}
</tr>
`,
  )
  return html`<section aria-labelledby="slo">
<h2 id="slo">Objectives <span class="quiet"><bdi>${slo.name}</bdi> ${focusText(capacity) ?? ''}</span></h2>
${table({ kind: 'slo', caption: 'Objectives, and what was observed of each', columns: ['Verdict', 'Objective', 'Observed'], rows })}
</section>`
}
