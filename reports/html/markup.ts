import { visible } from '../visible.ts'

/** HTML that is safe to write: made by the `html` tag only, or declared so where it is made. */
export type Markup = { readonly markup: string }

type Value = string | number | Markup | readonly Markup[]

/** Builds HTML from a template. Whatever is put in is escaped, unless it is markup itself. */
export function html(template: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const parts = template.map((part, index) => part + escapeValue(values[index] ?? ''))
  return { markup: parts.join('') }
}

/** Declares a text to be HTML: for texts of our own that no stranger had a hand in. */
export function trusted(markup: string): Markup {
  return { markup }
}

/** JSON inside a script element: as no `<` is left in it, no text in it can end the element. */
export function jsonInScript(value: unknown): Markup {
  return { markup: JSON.stringify(value).replaceAll('<', '\\u003c') }
}

function escapeValue(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
