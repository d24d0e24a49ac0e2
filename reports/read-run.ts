import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { parseJsonFile } from '../contract/parse-json-file.ts'
import { RUN_FILES, type Run, runSchema } from '../contract/run.ts'
import { type Slo, sloSchema } from '../contract/slo.ts'

const runFileSchema = runSchema.extend({ slo: z.union([sloSchema, z.null()]) })

/** Reads run.json of a run folder. Throws a BreakwaterError (usage) where the folder is no run folder. */
export async function readRun(dir: string): Promise<Run & { slo: Slo | null }> {
  const file = path.join(dir, RUN_FILES.run)
  const text = await readText(dir, file)
  return parseJsonFile({
    file,
    text,
    schema: runFileSchema,
    what: 'run',
    hint: 'The file is written by the command that made the run; it may come from another version.',
  })
}

async function readText(dir: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new BreakwaterError(`${dir}: not a run folder: ${reasonOf(cause)}`, {
      hint: 'A run folder is what smoke, capacity and repro write: runs/<time>-<job>-<id>, or the one that --out named. It holds run.json.',
      cause,
    })
  }
}

function reasonOf(cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException // as: errors of node:fs carry a code
  if (code === 'ENOENT' || code === 'ENOTDIR') return `it has no ${RUN_FILES.run}.`
  return `${RUN_FILES.run} cannot be read (${code}).`
}
