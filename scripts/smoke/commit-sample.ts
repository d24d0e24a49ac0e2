import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { projectPath } from '../project-path.ts'
import { VERSION } from '../version.ts'

/** Some of the items, chosen by the commit: the same wherever it is tested, others with the next one. */
export function sampleOfCommit<Item extends { name: string }>(
  items: readonly Item[],
  count: number,
  commit: string = commitOrVersion(),
): Item[] {
  const drawn = items.map((item) => ({ item, lot: lotOf(`${commit} ${item.name}`) }))
  drawn.sort((a, b) => (a.lot < b.lot ? -1 : 1))
  const chosen = new Set(drawn.slice(0, count).map(({ item }) => item))
  return items.filter((item) => chosen.has(item))
}

function lotOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The version stands in where the sources came without their history. */
function commitOrVersion(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: projectPath('.'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return VERSION
  }
}
