import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import { BreakwaterError, fileFailure } from './breakwater-error.ts'
import { validate } from './validate.ts'

/**
 * Validates the text of a JSON file that a user wrote. Reports every problem at once, each with its path in the file and the
 * expected value. Throws a BreakwaterError (usage).
 */
export function parseJsonFile<Schema extends z.ZodType>(options: {
  file: string
  text: string
  schema: Schema
  /** The kind of file, for the message: `target profile`. */
  what: string
  hint?: string
  /** The cause to report if the file is not JSON; for files that no person writes. */
  noJsonMeans?: string
  /** Throws for content that one error explains better than the problems of the schema. */
  recognize?: Recognize
}): z.infer<Schema> {
  const { file, schema, what, recognize } = options
  const content = parseJson(options)
  recognize?.(content, file)
  const { data, problems } = validate(schema, content)
  if (problems === null) return data
  throw new BreakwaterError(
    `${file}: not a valid ${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    {
      hint:
        options.hint ??
        `Correct the ${problems.length === 1 ? 'value' : 'values'} named above and run the command again.`,
    },
  )
}

export type Recognize = (content: unknown, file: string) => void

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
      hint: options.hint ?? `Expected a ${what} as JSON; comments (// and /* */) are allowed.`,
      cause,
    })
  }
}

/**
 * Parses JSON as people write it, with comments, trailing commas and a byte order mark. Throws a SyntaxError with the position
 * of the first mistake, `line 3, column 5: a comma is missing`.
 */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseWithComments(text.replace(/^\uFEFF/, ''))
  }
}

function parseWithComments(text: string): unknown {
  const errors: ParseError[] = []
  const tree = parseJsonTree(text, errors)
  const [first] = errors.toSorted((a, b) => a.offset - b.offset)
  if (first)
    throw new SyntaxError(
      `${formatPosition(first.offset, text)}: ${MISTAKES[printParseErrorCode(first.error)] ?? 'invalid'}`,
    )
  // Reparsed as JSON, so that objects are ordinary and `__proto__` is an ordinary key.
  return tree && JSON.parse(JSON.stringify(getNodeValue(tree)))
}

function parseJsonTree(text: string, errors: ParseError[]): ReturnType<typeof parseTree> {
  try {
    return parseTree(text, errors, { allowTrailingComma: true })
  } catch (cause) {
    if (cause instanceof RangeError) throw new SyntaxError('lists or objects are nested too deeply')
    throw cause
  }
}

function formatPosition(offset: number, text: string): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

const MISTAKES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected text; expected a value, or a name in double quotes',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfComment: 'unterminated comment',
  UnexpectedEndOfString: 'unterminated text',
  UnexpectedEndOfNumber: 'incomplete number',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'an unknown escape after \\',
  InvalidCharacter: 'unescaped control character',
}

/**
 * More than any profile, plan, world or list of wallets needs. A limit is necessary because the user, or a file from
 * someone else, may name a device or a file of any size.
 */
export const USER_FILE_MIB_MAX = 16

const BYTES_MAX = USER_FILE_MIB_MAX << 20
const TOO_LARGE = `it is larger than ${USER_FILE_MIB_MAX} MiB`

/** Reads a file that the user named, or a pipe such as a shell's `<(command)`. Throws like node:fs, and if it is too large. */
export async function readUserFile(file: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of createReadStream(file)) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new Error(TOO_LARGE)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads a regular file only, because a pipe may never end. Throws like node:fs, for a pipe or a device, and if it is too large. */
export function readRegularFile(file: string): string {
  const stats = statSync(file)
  // Reading a folder fails with a specific message.
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is a pipe or a device, not a file')
  if (stats.size > BYTES_MAX) throw new Error(TOO_LARGE)
  return readFileSync(file, 'utf8')
}

/** Reads and validates a JSON file named by the user or, with another `read`, by such a file. Throws a BreakwaterError (usage) with the name as given. */
export async function readJsonFile<Schema extends z.ZodType>(options: {
  file: string
  shown: string
  schema: Schema
  what: string
  read?: (file: string) => string | Promise<string>
  recognize?: Recognize
}): Promise<z.infer<Schema>> {
  const { file, shown, schema, what, read = readUserFile, recognize } = options
  let text: string
  try {
    text = await read(file)
  } catch (cause) {
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, {
      // `init` writes .jsonc.
      hint:
        file.endsWith('.json') && existsSync(`${file}c`)
          ? `Did you mean ${shown}c?`
          : `Expected a ${what} there.`,
      cause,
    })
  }
  return parseJsonFile({ file: shown, text, schema, what, ...(recognize && { recognize }) })
}

/** Checks if the user's value for a mix, a world or a plan is a file of their own rather than a name. */
export function namesAFile(name: string): boolean {
  return /\.jsonc?$/.test(name)
}
