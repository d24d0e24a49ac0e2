import { z } from 'zod'
import { BreakwaterError } from './breakwater-error.ts'

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
}): z.infer<Schema> {
  const { file, schema, what } = options
  const parsed = schema.safeParse(parseJson(options))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap(describeIssue)
  throw new BreakwaterError(
    `${file}: not a valid ${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint:
        options.hint ??
        `Correct the ${problems.length === 1 ? 'line' : 'lines'} named above and run the command again.`,
    },
  )
}

function parseJson({ file, text, what }: { file: string; text: string; what: string }): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BreakwaterError(`${file}: not JSON: ${(cause as Error).message}`, {
      hint: `Expected a ${what} as JSON; comments and trailing commas are not JSON.`,
      cause,
    })
  }
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.length === 0 ? '(top level)' : z.core.toDotPath(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${issue.path.length === 0 ? key : `${at}.${key}`}: unknown key; check its spelling`,
    )
  }
  return [`${at}: ${issue.message}`]
}
