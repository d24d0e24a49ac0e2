import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectPath } from '../../scripts/project.ts'

/**
 * Packs the project and unpacks it as npm would install it, into `folder/node_modules/breakwater`; of the packages here, those
 * that npm installs with it stand beside, as links. Needs no network. Answers the path of its command.
 */
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
