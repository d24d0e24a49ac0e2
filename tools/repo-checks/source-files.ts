import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { projectPath } from '../../scripts/project.ts'

export type SourceFile = { path: string; text: string }

/** The project's own text files as git sees them: tracked, or new and not ignored; generated ones left out. */
export function sourceFiles(endings: readonly string[]): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: projectPath('.'),
    encoding: 'utf8',
  })
  return listed
    .split('\n')
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .filter(
      (path) =>
        !path.includes('.generated.') && path !== 'package-lock.json' && existsSync(projectPath(path)),
    )
    .map((path) => ({ path, text: readFileSync(projectPath(path), 'utf8') }))
}
