import type { Report } from '../../contract/report.ts'
import { focusText } from '../capacity/focus-trial.ts'
import { objectiveText, observedText } from '../objective-text.ts'
import { html, type Markup } from './markup.ts'
import { verdictBadge } from './verdict-badge.ts'

/** The objectives and what was observed of each. */
export function sloSection({ slo, capacity }: Report): Markup {
  if (slo === null) return html``
  const rows = slo.objectives.map(
    (objective) => html`<tr>
<td>${verdictBadge(objective.verdict)}</td>
<td><bdi>${objectiveText(objective)}</bdi></td>
<td data-label="Observed"><bdi>${observedText(objective)}</bdi></td>
</tr>
`,
  )
  return html`<section aria-labelledby="slo">
<h2 id="slo">Objectives <span class="quiet"><bdi>${slo.name}</bdi> ${focusText(capacity) ?? ''}</span></h2>
<table class="slo">
<thead><tr><th>Verdict</th><th>Objective</th><th>Observed</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>
</section>`
}
