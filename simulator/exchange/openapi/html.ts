/** Text that is safe in HTML, and HTML that is known to be. */
export type Html = { readonly html: string }

/** A template whose values are escaped, unless they are HTML themselves; lists are joined. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  return { html: parts.map((part, index) => part + shown(values[index] ?? '')).join('') }
}

function shown(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string')
    return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}
