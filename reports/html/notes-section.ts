import type { Report } from '../../contract/report.ts'
import { html, type Markup } from './markup.ts'

/** Remarks without which the figures would say too much. */
export function notesSection({ notes }: Report): Markup {
  if (notes.length === 0) return html``
  return html`<section aria-labelledby="notes">
<h2 id="notes">Notes</h2>
<ul>${notes.map((note) => html`<li><bdi>${note}</bdi></li>`)}</ul>
</section>`
}
