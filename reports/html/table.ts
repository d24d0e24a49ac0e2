import { html, type Markup } from './markup.ts'

/** A table that says what it is to those who do not see it: caption, columns, and rows of cells made with `cell`. */
export function table(options: {
  /** A class of page.css. */
  kind: string
  caption: string
  columns: readonly string[]
  rows: readonly Markup[]
}): Markup {
  const { kind, caption, columns, rows } = options
  return html`<table class="${kind}">
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table>`
}

/** A cell that bears its column's name where a narrow page has no columns. */
export function cell(label: string, content: string | Markup, kind = ''): Markup {
  return html`<td${kind === '' ? html`` : html` class="${kind}"`} data-label="${label}">${content}</td>`
}
