import { type ProfileField, profileFields } from './profile-fields.ts'

/** Those that are written as they are; the others stand as comments, with what is taken where they are left out. */
const SET: Readonly<Record<string, unknown>> = {
  baseUrl: 'http://127.0.0.1:8080',
  wsUrl: 'ws://127.0.0.1:8081',
  'allow.load': false,
  'allow.mutations': false,
}
const WIDTH = 110

/** What `breakwater init profile NAME` writes: a profile of a stub at its usual ports, with every field in a comment. */
export function profileText(name: string): string {
  return [
    `// ${name}: a target profile. It says where an exchange is, how to sign in, and how it answers what the interface leaves`,
    '// open. As it stands it fits a stub that `breakwater stub` runs.',
    '//',
    '// A value that stands in a comment is taken where nothing is said: remove the // before it to say otherwise. A choice that',
    '// is null is not told, and what depends on it is skipped. docs/profile.md of the installation tells more.',
    '{',
    ...linesOf(profileFields(), { set: { name, ...SET }, depth: 1 }),
    '}',
    '',
  ].join('\n')
}

type Options = { set: Readonly<Record<string, unknown>>; depth: number }

/** Fields whose paths agree up to their depth. */
function linesOf(fields: readonly ProfileField[], { set, depth }: Options): string[] {
  const keys = [...new Set(fields.map(({ path }) => path[depth - 1] ?? ''))]
  const indent = '  '.repeat(depth)
  return keys.flatMap((key) => {
    const inner = fields.filter(({ path }) => path[depth - 1] === key)
    const [field] = inner
    if (field?.path.length === depth) return fieldLines(field, { set, indent })
    return [`${indent}"${key}": {`, ...linesOf(inner, { set, depth: depth + 1 }), `${indent}},`]
  })
}

function fieldLines(
  { path, words, default: usual, ...field }: ProfileField,
  { set, indent }: { set: Options['set']; indent: string },
): string[] {
  const name = path.join('.')
  const isSet = name in set
  const value = `${indent}${isSet ? '' : '// '}"${path.at(-1)}": ${spaced(isSet ? set[name] : usual)},`
  const meaning = words.length === 0 ? field.meaning : `${field.meaning} (${words.join(', ')})`
  const whole = `${value} // ${meaning}`
  return whole.length <= WIDTH ? [whole] : [`${indent}// ${meaning}`, value]
}

/** On one line, with spaces between. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
