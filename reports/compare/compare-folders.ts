import type { Comparison } from '../../contract/comparison.ts'
import { type CompareOptions, compareRuns } from './compare-runs.ts'
import { type RunSummary, readRunSummary } from './read-run-summary.ts'

type FolderSide = { label: string; dirs: readonly string[] }

/** Reads the run folders of both sides, one at a time, and compares them. Throws as readRunSummary does. */
export async function compareFolders(
  options: Omit<CompareOptions, 'a' | 'b'> & { a: FolderSide; b: FolderSide },
): Promise<Comparison> {
  const [a, b] = [await readSide(options.a), await readSide(options.b)]
  return compareRuns({ ...options, a, b })
}

async function readSide({ label, dirs }: FolderSide): Promise<CompareOptions['a']> {
  const runs: RunSummary[] = []
  for (const dir of dirs) runs.push(await readRunSummary(dir))
  return { label, runs }
}
