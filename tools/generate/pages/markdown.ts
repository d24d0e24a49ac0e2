import type { z } from 'zod'

/** The lines of a table; cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)]
}

/** Escapes plain text for a cell; text in code marks stays as it is. */
export function textCell(text: string): string {
  return text.replace(/`[^`]*`|[|<*_]/g, (found) =>
    found.length > 1 ? found.replaceAll('|', '\\|') : `\\${found}`,
  )
}

export function codeCell(text: string): string {
  const marks = text.includes('`') ? '``' : '`'
  return `${marks}${text.replaceAll('|', '\\|')}${marks}`
}

export type Schema = z.core.JSONSchema.BaseSchema

const ALTERNATIVES_MAX = 8

export function typeText(schema: Schema): string {
  const alternatives = listAlternatives(schema)
  if (alternatives && alternatives.length > ALTERNATIVES_MAX) return `objects of ${alternatives.length} kinds`
  if (alternatives) return alternatives.map(typeText).join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' or ')
  if (schema.type === 'array') return `list of ${typeText(schema.items as Schema)}` // as: one schema for all items
  if (schema.type === 'object') {
    const inner = Object.entries(schema.properties ?? {}).map(
      ([name, property]) => `\`${name}\`: ${typeText(property as Schema)}`,
    )
    return `{ ${inner.join(', ')} }`
  }
  if (schema.type === 'integer') return `integer${rangeText(schema)}`
  if (schema.type === 'string' && schema.maxLength !== undefined)
    return `text of ${schema.minLength ?? 0} to ${schema.maxLength} characters`
  const types = [schema.type].flat().map((type) => (type === 'string' ? 'text' : type))
  return types.join(' or ')
}

export function listAlternatives({ anyOf, oneOf }: Schema): Schema[] | undefined {
  return (anyOf ?? oneOf) as Schema[] | undefined // as: no schema here is a bare boolean
}

/** Bounds of safe integers are not shown, because they apply to every number. */
function rangeText({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  const [from, to] = [minimum, maximum].map((bound) => bound.toLocaleString('en'))
  if (maximum < Number.MAX_SAFE_INTEGER) return ` from ${from} to ${to}`
  return minimum > Number.MIN_SAFE_INTEGER ? ` from ${from}` : ''
}
