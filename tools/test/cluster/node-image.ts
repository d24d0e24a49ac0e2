import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeImage } from '../../image/make-image.ts'

/** An image that was put into the node of a cluster on this machine; `remove` takes its name away again. */
export type NodeImage = { name: string; remove(): void }

/**
 * Makes the image of this checkout and imports it into the node that runs on this machine, where KUBE_HOME names one; undefined:
 * there is none. Throws where the image cannot be made or imported.
 */
export async function nodeImage(env: NodeJS.ProcessEnv): Promise<NodeImage | undefined> {
  const home = env.KUBE_HOME
  if (home === undefined || !existsSync(join(home, 'run/node'))) return undefined
  const [node = ''] = readFileSync(join(home, 'run/node'), 'utf8').split(' ')
  const images = (...args: string[]) => {
    const ctr = [join(home, 'debian/usr/bin/ctr'), '--namespace=k8s.io', 'images', ...args]
    const { error, status, stderr } = spawnSync('nsenter', ['--mount', `--target=${node}`, ...ctr], {
      encoding: 'utf8',
    })
    if (status !== 0)
      throw new Error(`the node on this machine does not take an image: ${error?.message ?? stderr}`)
  }
  // Of this run alone: tests of other checkouts may use the same node.
  const name = `localhost/breakwater:test-${process.pid}`
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-image-'))
  try {
    const file = join(folder, 'image.tar')
    await makeImage({ file, name, env, onProgress: console.error })
    images('import', file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { name, remove: () => images('remove', name) }
}
