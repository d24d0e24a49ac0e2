import type { z } from 'zod'
import * as contract from '../contract/read-json-file.ts'
import { detail } from './progress/detail.ts'

/** Reads and validates a JSON file as `contract/read-json-file.ts` does; `--verbose` shows that it was read. */
export async function readJsonFile<Schema extends z.ZodType>(
  options: Parameters<typeof contract.readJsonFile<Schema>>[0],
): Promise<z.infer<Schema>> {
  const content = await contract.readJsonFile(options)
  detail(`read ${options.what} ${options.file}`)
  return content
}
