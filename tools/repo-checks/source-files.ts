import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { projectPath } from '../../scripts/project.ts'

export type SourceFile = { path: string; text: string }

/** The project's text files according to git: tracked, or new and not ignored. */
export function sourceFiles(endings: readonly string[]): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: projectPath('.'),
    encoding: 'utf8',
  })
  return listed
    .split('\n')
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .filter((path) => path !== 'package-lock.json' && existsSync(projectPath(path)))
    .map((path) => ({ path, text: readFileSync(projectPath(path), 'utf8') }))
}

type Edge = { from: string; to: string }

/** `isOnDemand`: imported with `import()`. */
type Import = Edge & { isOnDemand: boolean }

export function listImports(sources: readonly SourceFile[]): Import[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from|import)\s*(\(?)\s*'(\.[^']+)'/g)].map(([, call, to = '']) => ({
      from: path,
      to: posix.normalize(posix.join(posix.dirname(path), to)),
      isOnDemand: call === '(',
    })),
  )
}

/** Pairs of folders, neither inside the other, that import each other: `a <> b`. */
export function mutualFolders(imports: readonly Edge[]): string[] {
  const edges = new Set(imports.map(({ from, to }) => `${posix.dirname(from)} > ${posix.dirname(to)}`))
  return [...edges].flatMap((edge) => {
    const [a = '', b = ''] = edge.split(' > ')
    const nested = a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
    return !nested && a < b && edges.has(`${b} > ${a}`) ? [`${a} <> ${b}`] : []
  })
}

export function reachedFrom(entries: readonly string[], imports: readonly Edge[]): Set<string> {
  const reached = new Set<string>()
  const waiting = [...entries]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    waiting.push(...imports.filter(({ from }) => from === path).map(({ to }) => to))
  }
  return reached
}
