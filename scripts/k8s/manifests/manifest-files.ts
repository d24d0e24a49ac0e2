import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleScript } from '../../k6/bundle-script.ts'
import { outSettings } from '../../k6/k6-outs.ts'
import { projectPath } from '../../project-path.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import type { ManifestParts } from './manifest-parts.ts'
import { portableScript } from './portable-script.ts'

/** What the objects of a run take from this machine: the script in one piece, certificates, and settings of outputs. */
export async function manifestFiles(
  { target, k6Outs, cluster }: ClusterLoadPlan,
  env: NodeJS.ProcessEnv,
): Promise<Pick<ManifestParts, 'script' | 'ca' | 'settings'>> {
  const { ca } = target.profile
  return {
    script: cluster.script === 'image' ? null : await bundledScript(),
    ca: ca === null ? null : await readFile(ca, 'utf8'),
    settings: settingsOf(outSettings(k6Outs), env),
  }
}

async function bundledScript(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-script-'))
  try {
    const { file } = await bundleScript({ script: projectPath('scenarios/load.k6.ts'), folder })
    return portableScript(await readFile(file, 'utf8'), { folder, root: projectPath('.') })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function settingsOf(prefixes: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && prefixes.some((prefix) => name.startsWith(prefix)) ? [[name, value]] : [],
    ),
  )
}
