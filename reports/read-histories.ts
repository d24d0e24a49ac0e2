import { type HistoryViolation, historiesSchema } from '../contract/history.ts'
import { readRunFile } from './run-file.ts'

/** A few violations per rule, each with the shortest history that shows it. */
const BYTES_MAX = 16 << 20

/** Reads histories.json of a run folder: the violations that the operation log shows. */
export async function readHistories(
  file: string,
): Promise<{ violations: HistoryViolation[]; notes: string[] }> {
  try {
    const text = await readRunFile(file, { bytesMax: BYTES_MAX })
    return { violations: historiesSchema.parse(JSON.parse(text)).violations, notes: [] }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { violations: [], notes: [] } // as: of node:fs
    return {
      violations: [],
      notes: ['histories.json cannot be read: violations are listed without their histories.'],
    }
  }
}
