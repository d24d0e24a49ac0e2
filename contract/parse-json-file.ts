import { z } from 'zod'
import { BreakwaterError } from './breakwater-error.ts'
import { parseJsonText } from './parse-json-text.ts'

/**
 * Validates the text of a JSON file that a user wrote. Reports every problem at once, each with its path in the file and
 * what was expected. Throws a BreakwaterError (usage).
 */
export function parseJsonFile<Schema extends z.ZodType>(options: {
  file: string
  text: string
  schema: Schema
  /** What the file is, for the message: `target profile`. */
  what: string
  hint?: string
  /** What it means where the file is no JSON; for files that no person writes. */
  noJsonMeans?: string
}): z.infer<Schema> {
  const { file, schema, what } = options
  const content = parseJson(options)
  const parsed = schema.safeParse(content)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, content))
  throw new BreakwaterError(
    `${file}: not a valid ${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint:
        options.hint ??
        `Correct the ${problems.length === 1 ? 'value' : 'values'} named above and run the command again.`,
    },
  )
}

function parseJson(options: {
  file: string
  text: string
  what: string
  hint?: string
  noJsonMeans?: string
}): unknown {
  const { file, text, what, noJsonMeans } = options
  try {
    return parseJsonText(text)
  } catch (cause) {
    const reason = text.trim() === '' ? 'the file is empty' : `not JSON: ${(cause as Error).message}`
    throw new BreakwaterError(`${file}: ${noJsonMeans === undefined ? '' : `${noJsonMeans}: `}${reason}`, {
      hint: options.hint ?? `Expected a ${what} as JSON; comments (// and /* */) may stand in it.`,
      cause,
    })
  }
}

function describeIssue(issue: z.core.$ZodIssue, content: unknown): string[] {
  const at = issue.path.length === 0 ? '(top level)' : z.core.toDotPath(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${issue.path.length === 0 ? key : `${at}.${key}`}: unknown key; check its spelling`,
    )
  }
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => `${at}: ${message}`)
  return [`${at}: ${isMissing(issue.path, content) ? `missing; ${expectedBy(issue)}` : issue.message}`]
}

function isMissing(path: readonly PropertyKey[], content: unknown): boolean {
  let value = content
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key]
  return path.length > 0 && value === undefined
}

/** zod's own words for a value that is not there say what was received: nothing. */
function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    return `expected ${TYPES[issue.expected] ?? issue.expected}`
  }
  return issue.message.replace(/^Invalid (?:input|option): /, '')
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
