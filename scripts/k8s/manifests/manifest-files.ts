import { readFile } from 'node:fs/promises'
import { outSettings } from '../../k6/k6-outs.ts'
import { projectPath } from '../../project-path.ts'
import type { ClusterLoadPlan } from '../cluster-load.ts'
import type { ManifestParts } from './manifest-parts.ts'

/** What the objects of a run take from this machine: the script in one piece, certificates, and settings of outputs. */
export async function manifestFiles(
  { target, k6Outs, cluster }: ClusterLoadPlan,
  env: NodeJS.ProcessEnv,
): Promise<Pick<ManifestParts, 'script' | 'ca' | 'settings'>> {
  const { ca } = target.profile
  return {
    script: cluster.script === 'image' ? null : await readFile(projectPath('dist/load.k6.js'), 'utf8'),
    ca: ca === null ? null : await readFile(ca, 'utf8'),
    settings: settingsOf(outSettings(k6Outs), env),
  }
}

function settingsOf(prefixes: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && prefixes.some((prefix) => name.startsWith(prefix)) ? [[name, value]] : [],
    ),
  )
}
