import type { Report } from '../../contract/report.ts'
import { html, type Markup } from './markup.ts'

const LIMITED_BY: Readonly<Record<NonNullable<Report['limited']['by']>, string>> = {
  slo: 'The objectives: one broke, and nothing tells what in the target.',
  target: 'The target: its own metrics show it at its end.',
  generator: 'The load generator: what was measured says less about the target.',
  budget: 'The budget of the search: more time or requests would tell more.',
  interrupted: 'Whoever stopped it.',
  range: 'The rate that was asked for: it still met the objectives.',
}

/** What kept the run from more. */
export function limitedSection({ limited: { by, because } }: Pick<Report, 'limited'>): Markup {
  return html`<section aria-labelledby="limited">
<h2 id="limited">What limited the run</h2>
${by === null ? html`` : html`<p><strong>${LIMITED_BY[by]}</strong></p>`}
${because.map((sentence) => html`<p><bdi>${sentence}</bdi></p>`)}
</section>`
}
