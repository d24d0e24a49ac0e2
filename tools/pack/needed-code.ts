import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { projectPath } from '../../scripts/project.ts'

/** What runs or is bundled by its path, not by an import. */
const BY_PATH = ['scripts/breakwater.mjs', 'scripts/action.mjs', 'scenarios/kit.ts']

/** The code that an installed package needs: the compiled command, the scenarios, and all that these import. */
export function neededCode(scenarios: readonly string[]): Set<string> {
  const needed = new Set<string>()
  const left = [...BY_PATH, ...scenarios]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (needed.has(path)) continue
    needed.add(path)
    left.push(...importsOf(path))
  }
  return needed
}

function importsOf(path: string): string[] {
  const text = readFileSync(projectPath(path), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, to = '']) => posix.join(posix.dirname(path), to))
    .filter((to) => !to.startsWith('dist/') && existsSync(projectPath(to))) // the text of a new scenario names files that it will stand beside
}
