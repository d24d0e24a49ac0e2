import { readFileSync } from 'node:fs'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { fileFailure } from '../../contract/file-failure.ts'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project-path.ts'
import { imageConfig } from './image-config.ts'
import { imageLayers } from './image-layers.ts'
import { writeOciArchive } from './oci-archive.ts'

export type MakeImageOptions = {
  /** The archive to write. */
  file: string
  /** As pods will ask for it: host, path and tag. */
  name: string
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}

/** containerd takes a name as it is; only with a host, a kubelet asks for the same. */
const FULL_NAME =
  /^(localhost|[a-z0-9.-]+\.[a-z0-9]+|[a-z0-9.-]+:\d+)(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+:[\w][\w.-]{0,127}$/

/**
 * The image of the Dockerfile without a container engine: this machine's Node, shell and libraries, k6, the packages that are
 * installed, and what `npm pack` takes of this checkout. Answers the manifest's digest; the same files give the same. Throws a
 * BreakwaterError: usage for a bad name, environment where the machine lacks something.
 */
export async function makeImage(options: MakeImageOptions): Promise<{ digest: string }> {
  const { file, name, env, onProgress } = options
  if (!FULL_NAME.test(name)) {
    throw new BreakwaterError(`not the full name of an image, with its host and its tag: ${name}`, {
      hint: 'Such as localhost/breakwater:test or registry.example.com/load/breakwater:1.',
    })
  }
  if (process.platform !== 'linux') {
    throw new BreakwaterError('an image is made of the files of a Linux machine, and this is none', {
      hint: 'Make it with the Dockerfile instead: docker build -t breakwater .',
      exitCode: EXIT.environment,
    })
  }
  const k6 = await findK6({ env, k6SourceDir: projectPath('k6'), onProgress })
  const config = imageConfig(readFileSync(projectPath('Dockerfile'), 'utf8'))
  const layers = await imageLayers({ env, k6 })
  try {
    return writeOciArchive({ file, name, config, layers })
  } catch (cause) {
    const message = `the image cannot be written to ${file}: ${fileFailure(cause)}`
    throw new BreakwaterError(message, { exitCode: EXIT.environment, cause })
  }
}
