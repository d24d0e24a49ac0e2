import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { projectPath, VERSION } from '../../scripts/project.ts'

/** Runs samples in full, and long runs at full length. Set by the nightly section `samples`. */
export const IN_FULL = process.env.BREAKWATER_SAMPLES === 'all'

/** A sample drawn by the committed sources: the same everywhere, another one after a change. */
export function sampleByTree<Item extends { name: string }>(
  items: readonly Item[],
  count: number,
  tree: string = readCommitTree(),
): Item[] {
  if (IN_FULL) return [...items]
  const chosen = new Set(shuffleByTree(items, tree).slice(0, count))
  return items.filter((item) => chosen.has(item))
}

/** An order that depends on the committed sources only. */
export function shuffleByTree<Item extends { name: string }>(
  items: readonly Item[],
  tree: string = readCommitTree(),
): Item[] {
  const drawn = items.map((item) => ({ item, lot: hashText(`${tree} ${item.name}`) }))
  return drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ item }) => item)
}

export function sampleNames<Name extends string>(names: readonly Name[], count: number): Name[] {
  const items = names.map((name) => ({ name }))
  return sampleByTree(items, count).map(({ name }) => name)
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Identifies the committed sources, the same in every clone. Falls back to the version without git history. */
export function readCommitTree(): string {
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
