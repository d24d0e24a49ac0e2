import type { Verdict } from '../../contract/finding.ts'
import type { RunVerdict } from '../../contract/report.ts'
import { html, type Markup } from './markup.ts'

/** A sign beside the word, for those who do not see colours. */
const SIGNS: Readonly<Record<Verdict | RunVerdict, string>> = {
  pass: '✓',
  fail: '✗',
  inconclusive: '?',
  skipped: '–',
  interrupted: '!',
}

/** A verdict as a badge: its word, its colour, and its sign. */
export function verdictBadge(verdict: Verdict | RunVerdict): Markup {
  return html`<span class="badge ${verdict}"><span aria-hidden="true">${SIGNS[verdict]}</span> ${verdict}</span>`
}
