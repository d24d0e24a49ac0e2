import { execFileSync } from 'node:child_process'
import { projectPath } from '../../scripts/project.ts'

export type PackedFile = { path: string; bytes: number }

/** What `npm pack` puts into the package, by path; nothing is written. Throws where npm fails. */
export function packedFiles(): PackedFile[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const output = execFileSync('npm', args, { cwd: projectPath('.'), encoding: 'utf8', maxBuffer: 64 << 20 })
  const [packed] = JSON.parse(output) as [{ files: { path: string; size: number }[] }] // as: npm's own form
  return packed.files.map(({ path, size }) => ({ path, bytes: size }))
}
