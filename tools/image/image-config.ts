import type { ImageConfig } from './oci-archive.ts'
import { readDockerfile } from './read-dockerfile.ts'

const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin'

/** What the last stage of a Dockerfile says of its containers; the PATH is that of the base images. */
export function imageConfig(dockerfile: string): ImageConfig {
  const steps = readDockerfile(dockerfile).at(-1)?.steps ?? []
  const textOf = (name: string) => steps.findLast(({ instruction }) => instruction === name)?.text ?? ''
  const wordsOf = (name: string): string[] => JSON.parse(textOf(name) || '[]')
  return {
    User: textOf('USER'),
    WorkingDir: textOf('WORKDIR'),
    Entrypoint: wordsOf('ENTRYPOINT'),
    Cmd: wordsOf('CMD'),
    Env: [PATH, ...textOf('ENV').split(' ')],
    ExposedPorts: Object.fromEntries(
      textOf('EXPOSE')
        .split(' ')
        .map((port) => [`${port}/tcp`, {}]),
    ),
  }
}
