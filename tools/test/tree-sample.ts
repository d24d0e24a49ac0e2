import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { projectPath, VERSION } from '../../scripts/project.ts'

/** Tests run in full: samples hold every item, and long runs have their full length. The nightly section `samples` sets it. */
export const IN_FULL = process.env.BREAKWATER_SAMPLES === 'all'

/** Some of the items, drawn by the committed sources: the same wherever they are tested, others once a file changes. */
export function sampleOfTree<Item extends { name: string }>(
  items: readonly Item[],
  count: number,
  tree: string = treeOfCommit(),
): Item[] {
  if (IN_FULL) return [...items]
  const drawn = items.map((item) => ({ item, lot: lotOf(`${tree} ${item.name}`) }))
  drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1))
  const chosen = new Set(drawn.slice(0, count).map(({ item }) => item))
  return items.filter((item) => chosen.has(item))
}

/** Some of the names, drawn likewise. */
export function sampleNames<Name extends string>(names: readonly Name[], count: number): Name[] {
  const items = names.map((name) => ({ name }))
  return sampleOfTree(items, count).map(({ name }) => name)
}

function lotOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Names the committed sources: the same in every clone and after a rebase, another as soon as a file changes. Tests draw by it,
 * so that what was drawn where they passed is drawn wherever they run. The version stands in where the history is missing.
 */
export function treeOfCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      cwd: projectPath('.'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return VERSION
  }
}
