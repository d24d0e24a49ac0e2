import { profileJsonSchema } from '../../contract/profile.ts'

/** A field of the target profile that has a value of its own, in the order of the schema. */
export type ProfileField = {
  /** `['choices', 'refresh', 'graceSeconds']`. */
  path: readonly string[]
  /** What is expected, in words: `text, or null`. */
  type: string
  /** Those that it may be; none: it is no such field. */
  words: readonly string[]
  /** Undefined: the field is required. */
  default: unknown
  meaning: string
}

/** As zod tells it in terms of JSON Schema. */
type Node = {
  type?: string
  format?: string
  description?: string
  default?: unknown
  enum?: readonly string[]
  properties?: Readonly<Record<string, Node>>
  anyOf?: readonly Node[]
}

/** Every field of the profile, read from its schema. */
export function profileFields(): ProfileField[] {
  return fieldsOf(profileJsonSchema() as Node, []) // as: what is read of it is above
}

function fieldsOf(node: Node, path: readonly string[]): ProfileField[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => {
    const here = [...path, key]
    if (inner.properties !== undefined) return fieldsOf(inner, here)
    const { description: meaning = '', default: usual, enum: words = [] } = inner
    return { path: here, type: typeOf(inner), words, default: usual, meaning }
  })
}

function typeOf(node: Node): string {
  const { anyOf, type = '', format, enum: words } = node
  if (anyOf !== undefined) return `${anyOf.map(typeOf).join(', or ')}`
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ')
  if (format === 'uri') return 'address'
  return TYPES[type] ?? type
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: '`true`, `false`',
  array: 'list',
  null: '`null`',
}
