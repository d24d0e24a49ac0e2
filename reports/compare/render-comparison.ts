import path from 'node:path'
import type { Comparison } from '../../contract/comparison.ts'
import { RUN_FILES } from '../../contract/run.ts'
import { writeWhole } from '../write-whole.ts'

export const COMPARISON_RENDERERS = {
  json: {
    file: RUN_FILES.comparisonJson,
    render: (comparison: Comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  },
} as const

/** Writes comparison.json, comparison.html and comparison.md into a folder. */
export async function writeComparison(dir: string, comparison: Comparison): Promise<void> {
  for (const { file, render } of Object.values(COMPARISON_RENDERERS)) {
    await writeWhole(path.join(dir, file), render(comparison))
  }
}
