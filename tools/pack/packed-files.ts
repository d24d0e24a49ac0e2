import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { projectPath } from '../../scripts/project.ts'

export type PackedFile = { path: string; bytes: number }

export function packedFiles(): PackedFile[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const output = execFileSync('npm', args, { cwd: projectPath('.'), encoding: 'utf8', maxBuffer: 64 << 20 })
  const [packed] = JSON.parse(output) as [{ files: { path: string; size: number }[] }] // as: npm's format
  return packed.files.map(({ path, size }) => ({ path, bytes: size }))
}

/** Started or bundled by path, not imported. */
const BY_PATH = ['scripts/breakwater.mjs', 'scripts/action.mjs', 'scenarios/kit.ts']

/** Code that an installed package needs: the compiled command, the scenarios, and their imports. */
export function neededCode(scenarios: readonly string[]): Set<string> {
  const needed = new Set<string>()
  const left = [...BY_PATH, ...scenarios]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (needed.has(path)) continue
    needed.add(path)
    left.push(...listImports(path))
  }
  return needed
}

function listImports(path: string): string[] {
  const text = readFileSync(projectPath(path), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, to = '']) => posix.join(posix.dirname(path), to))
    .filter((to) => !to.startsWith('dist/') && existsSync(projectPath(to))) // the template of a new scenario imports files that do not exist yet
}

/** Packs the project into `folder/node_modules`, with links to its dependencies, without network. Returns the command's path. */
export function installPackage(folder: string): string {
  const modules = join(folder, 'node_modules')
  const installed = join(modules, 'breakwater')
  mkdirSync(installed, { recursive: true })
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  const archive = execFileSync('npm', pack, { cwd: projectPath('.'), encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1'])
  for (const name of runtimePackages()) {
    const link = join(modules, name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(projectPath(`node_modules/${name}`), link)
  }
  return join(installed, 'scripts/breakwater.mjs')
}

function runtimePackages(): string[] {
  const manifest = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.keys(manifest.dependencies)
}
