/** The trend of a run in its report, with `--history`. */
import type { Report } from '../../contract/report.ts'
import { groupText } from '../trend/trend-text.ts'
import { html, type Markup } from './markup.ts'
import { changesPart, trendChart } from './render-trend.ts'

export function trendSection({ trend: found, run }: Pick<Report, 'trend' | 'run'>): Markup {
  if (found === undefined) return html``
  const { history, reason, trend } = found
  return html`<section class="trend" aria-labelledby="trend">
<h2 id="trend">Trend <span class="quiet"><bdi>${history}</bdi></span></h2>
${
  trend === null
    ? html`<p>No trend: <bdi>${reason ?? ''}</bdi>.</p>`
    : html`<p>${trend.points.length} runs: <bdi>${groupText(trend.group)}</bdi></p>
${trend.note === null ? html`` : html`<p class="remark">Not judged: ${trend.note}.</p>`}
${trendChart(trend, { ownRun: run.id })}
${changesPart(trend)}
<p class="quiet">Larger circles mark this run. The trend shows runs until this one, and does not affect the verdict.</p>`
}
</section>`
}
