import type { z } from 'zod'
import { BreakwaterError } from './breakwater-error.ts'
import { fileFailure } from './file-failure.ts'
import { parseJsonFile } from './parse-json-file.ts'
import { readGivenFile } from './read-given-file.ts'

/** Reads and validates a JSON file that a user named, or, by another `read`, that such a file names. Throws a BreakwaterError (usage) that names the file as the user did. */
export async function readJsonFile<Schema extends z.ZodType>(options: {
  file: string
  shown: string
  schema: Schema
  what: string
  read?: (file: string) => string | Promise<string>
}): Promise<z.infer<Schema>> {
  const { file, shown, schema, what, read = readGivenFile } = options
  let text: string
  try {
    text = await read(file)
  } catch (cause) {
    throw new BreakwaterError(`${shown}: cannot be read: ${fileFailure(cause)}`, {
      hint: `Expected a ${what} there.`,
      cause,
    })
  }
  return parseJsonFile({ file: shown, text, schema, what })
}
