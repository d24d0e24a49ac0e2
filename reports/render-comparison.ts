import path from 'node:path'
import type { Comparison } from '../contract/comparison.ts'
import { RUN_FILES } from '../contract/run.ts'
import { renderComparisonMd } from './compare/render-comparison-md.ts'
import { renderComparisonHtml } from './html/render-comparison.ts'
import { writeWhole } from './write-whole.ts'

type Renderer = { file: string; render: (comparison: Comparison) => string }

/** Which file each form of a comparison is, and what renders it. */
export const COMPARISON_RENDERERS: Readonly<Record<'html' | 'json' | 'md', Renderer>> = {
  html: { file: RUN_FILES.comparisonHtml, render: renderComparisonHtml },
  json: {
    file: RUN_FILES.comparisonJson,
    render: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  },
  md: { file: RUN_FILES.comparisonMd, render: renderComparisonMd },
}

/** Writes all forms into a folder. Throws a BreakwaterError (environment) where it cannot be written. */
export async function writeComparison(dir: string, comparison: Comparison): Promise<void> {
  const files = Object.values(COMPARISON_RENDERERS).map(({ file, render }) => ({
    file: path.join(dir, file),
    text: render(comparison),
  }))
  for (const { file, text } of files) await writeWhole(file, text)
}
