import { createHash } from 'node:crypto'
import { treeOfCommit } from './tree-of-commit.ts'

/** Some of the items, drawn by the committed sources: the same wherever they are tested, others once a file changes. */
export function sampleOfTree<Item extends { name: string }>(
  items: readonly Item[],
  count: number,
  tree: string = treeOfCommit(),
): Item[] {
  const drawn = items.map((item) => ({ item, lot: lotOf(`${tree} ${item.name}`) }))
  drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1))
  const chosen = new Set(drawn.slice(0, count).map(({ item }) => item))
  return items.filter((item) => chosen.has(item))
}

function lotOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
