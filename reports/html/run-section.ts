import type { Report } from '../../contract/report.ts'
import { html, type Markup } from './markup.ts'

/** How to run it again, and with what it was run. */
export function runSection({ run }: Report, renderedAt: string): Markup {
  const { breakwater, node, k6 } = run.versions
  return html`<section aria-labelledby="again">
<h2 id="again">Run again</h2>
<pre class="command">${run.command}</pre>
<p class="quiet">Breakwater ${breakwater}, Node ${node}, k6 ${k6}. Run <bdi>${run.id}</bdi>. Rendered ${renderedAt}.</p>
</section>`
}
