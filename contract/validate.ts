import { z } from 'zod'
import { either, suggestNames } from './suggest-names.ts'

/**
 * Validates untrusted data. Returns every problem at once, each with its path and what was expected; for an unknown name, the
 * nearest ones.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  content: unknown,
): { data: z.output<Schema>; problems: null } | { data: null; problems: string[] } {
  const parsed = schema.safeParse(content, { error: messageFor })
  return parsed.success
    ? { data: parsed.data, problems: null }
    : { data: null, problems: parsed.error.issues.flatMap((issue) => describeIssue(issue, content)) }
}

/** Replaces zod's messages; undefined keeps them. A schema's own message comes first. */
function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue
  switch (issue.code) {
    case 'unrecognized_keys': {
      const names = listKeys(issue.inst)
      const expected = (key: string) => (names.length === 0 ? 'expected no keys' : suggestNames(key, names))
      return issue.keys.map((key) => `unknown key; ${expected(key)}`).join('\n')
    }
    case 'invalid_type':
      return `expected ${TYPES[issue.expected] ?? issue.expected}${input === undefined ? '' : `, found ${typeText(input)}`}`
    case 'invalid_value':
      return unknownValue(input, issue.values)
    case 'invalid_union': {
      const given = (input as Record<string, unknown> | null | undefined)?.[issue.discriminator ?? '']
      if (Array.isArray(issue.options)) return unknownValue(given, issue.options)
      const firsts = issue.errors.map(
        ([first]) => first?.message.split(', found ', 1)[0]?.replace(/^expected /, '') ?? '',
      )
      return `expected ${either([...new Set(firsts)])}`
    }
    case 'too_small':
      return `expected ${issue.inclusive ? 'at least' : 'more than'} ${amountText(issue.minimum, issue.origin)}`
    case 'too_big':
      return `expected ${issue.inclusive ? 'at most' : 'less than'} ${amountText(issue.maximum, issue.origin)}`
    case 'invalid_format':
      return formatText(issue)
    default:
      return undefined
  }
}

function formatText({ format, prefix }: { format: string; prefix?: unknown }): string | undefined {
  if (format === 'datetime') return 'expected a time, such as 2027-01-31T12:00:00Z'
  return format === 'starts_with' ? `expected a text that begins with ${prefix}` : undefined
}

function unknownValue(given: unknown, values: readonly z.core.util.Primitive[]): string {
  const suggestion = suggestNames(given, values.map(String))
  return typeof given === 'string' ? `unknown name ${JSON.stringify(given)}; ${suggestion}` : suggestion
}

function listKeys(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape).filter((key) => key !== '$schema')
  return schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum
    ? schema.keyType.options.map(String)
    : []
}

function amountText(amount: number | bigint, origin: string): string {
  const unit = UNITS[origin]
  return unit === undefined ? String(amount) : `${amount} ${unit}${Number(amount) === 1 ? '' : 's'}`
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' }

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function typeText(input: unknown): string {
  const isSpecial = typeof input === 'number' && !Number.isFinite(input)
  if (input === null || typeof input === 'boolean' || isSpecial) return String(input)
  if (Array.isArray(input)) return 'a list'
  return TYPES[typeof input] ?? typeof input
}

function describeIssue(issue: z.core.$ZodIssue, content: unknown): string[] {
  const { path } = issue
  const value = valueAt(path, content)
  if (issue.code === 'invalid_union') {
    const nearest = nearestOption(issue, value)
    if (nearest)
      return nearest.flatMap((each) => describeIssue({ ...each, path: [...path, ...each.path] }, content))
  }
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => `${z.core.toDotPath([...path, key])}: ${messages[index]}`)
  }
  const messages = issue.code === 'invalid_key' ? issue.issues.map(({ message }) => message) : [issue.message]
  const missing = path.length > 0 && value === undefined ? 'missing; ' : ''
  const at = path.length === 0 ? '(top level)' : z.core.toDotPath(path)
  return messages.map((message) => `${at}: ${missing}${message}`)
}

function valueAt(path: readonly PropertyKey[], content: unknown): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    content,
  )
}

/** The problems of the option that an object comes nearest to, by its keys; undefined if that is unclear. */
function nearestOption(issue: z.core.$ZodIssueInvalidUnion, value: unknown): z.core.$ZodIssue[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Object.keys(value).length
  const [nearest, second] = issue.errors
    .filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0))
    .map((issues) => ({ issues, unknown: issues.flatMap((each) => unknownKeys(each)).length }))
    .filter(({ unknown }) => unknown < keys)
    .map(({ issues, unknown }) => ({ issues, distance: issues.length + unknown }))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.distance === second?.distance ? undefined : nearest?.issues
}

function unknownKeys(issue: z.core.$ZodIssue): readonly string[] {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []
}
