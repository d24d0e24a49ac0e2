import { html, type Markup } from './markup.ts'

/**
 * The place of a chart, which charts/draw-chart.js fills, with what it shows in words. `title` names it for who hears the
 * page; `caption` is text, or markup of more than one paragraph.
 */
export function chartFigure(options: { id: string; title: string; caption: Markup | string }): Markup {
  const { id, title, caption } = options
  return html`<figure class="chart-figure">
<div class="chart" id="${id}" data-title="${title}"><noscript>Charts need JavaScript.</noscript></div>
<figcaption class="quiet">${caption}</figcaption>
</figure>`
}
