import path from 'node:path'
import { z } from 'zod'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { fileFailure } from '../contract/file-failure.ts'
import { parseJsonFile } from '../contract/parse-json-file.ts'
import { RUN_FILES, type Run, runSchema } from '../contract/run.ts'
import { type Slo, sloSchema } from '../contract/slo.ts'
import { readRunFile } from './run-file.ts'

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
    hint: 'The command that made the run wrote it: it is damaged, or comes from another version.',
    noJsonMeans: 'cut short or damaged',
  })
}

async function readText(dir: string, file: string): Promise<string> {
  try {
    return await readRunFile(file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // as: errors of node:fs carry a code
    if (code === 'ENOTDIR') {
      throw new BreakwaterError(`${dir}: is a file, not a run folder`, {
        hint: `Name its folder: ${path.dirname(dir)}`,
        cause,
      })
    }
    const reason =
      code === 'ENOENT' ? `it has no ${RUN_FILES.run}` : `${RUN_FILES.run}: ${fileFailure(cause)}`
    throw new BreakwaterError(`${dir}: not a run folder: ${reason}`, {
      hint: `A run folder is what smoke writes: runs/<time>-smoke-<id>, or the one that --out named. It holds ${RUN_FILES.run}.`,
      cause,
    })
  }
}
