import type { Difference } from '../../contract/comparison.ts'
import { html, type Markup } from './markup.ts'

/** From -max to +max, as shares of A; of shares in points. */
export type PlotScale = { max: number; text: string }

/** Wide enough for what stands out; intervals that say nothing are cut. */
const MAX_LEAST = 0.1
const MAX_MOST = 0.5

/** One scale for all rows. */
export function plotScale(rows: readonly Difference[]): PlotScale {
  const ends = rows.flatMap((row) => {
    const shown = shownOf(row)
    return shown === undefined ? [] : [Math.abs(shown.low), Math.abs(shown.high)]
  })
  const max = Math.min(MAX_MOST, Math.max(MAX_LEAST, Math.ceil(Math.max(0, ...ends) * 10) / 10))
  return { max, text: `−${max * 100} % to +${max * 100} %` }
}

/** The interval as a line, the difference as a dot, no difference as the middle. What is off the scale ends at its edge. */
export function intervalPlot(row: Difference, { max }: PlotScale): Markup {
  const shown = shownOf(row)
  if (shown === undefined) return html``
  const at = (change: number) => `${(50 + 50 * Math.max(-1, Math.min(1, change / max))).toFixed(2)}%`
  const width = Math.min(max, shown.high) - Math.max(-max, shown.low)
  return html`<svg class="interval ${row.verdict.replaceAll(' ', '-')}" width="100%" height="14" aria-hidden="true">
<line class="none" x1="50%" x2="50%" y1="0" y2="14"/>
${width > 0 ? html`<line class="range" x1="${at(shown.low)}" x2="${at(shown.high)}" y1="7" y2="7"/>` : html``}
<circle cx="${at(shown.change)}" cy="7" r="3.5"/></svg>`
}

function shownOf(row: Difference): { low: number; high: number; change: number } | undefined {
  const ends = row.unit === 'share' ? row.interval : row.relativeInterval
  const change = row.unit === 'share' ? row.difference : row.relativeDifference
  return ends === null || change === null ? undefined : { ...ends, change }
}
