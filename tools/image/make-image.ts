import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { posix } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { imageLayers, type TarEntry, tarChunks } from './image-layers.ts'

export type MakeImageOptions = {
  file: string
  /** Full name for pods to pull: host, path and tag. */
  name: string
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}

/** containerd uses the name as it is; a kubelet only requests the same name if it has a host. */
const FULL_NAME =
  /^(localhost|[a-z0-9.-]+\.[a-z0-9]+|[a-z0-9.-]+:\d+)(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+:[\w][\w.-]{0,127}$/

/**
 * Builds the Dockerfile's image without a container engine, from this machine's Node, shell and libraries, k6, the installed
 * packages, and the files that `npm pack` takes. Returns the manifest's digest; the same files give the same digest. Throws
 * BreakwaterError: usage for a bad name, environment if the machine lacks a file.
 */
export async function makeImage(options: MakeImageOptions): Promise<{ digest: string }> {
  const { file, name, env, onProgress } = options
  if (!FULL_NAME.test(name)) {
    throw new BreakwaterError(`not the full name of an image, with its host and its tag: ${name}`, {
      hint: 'Use a name such as localhost/breakwater:test or registry.example/breakwater:1.',
    })
  }
  if (process.platform !== 'linux') {
    throw new BreakwaterError('an image can only be built from the files of a Linux machine', {
      hint: 'Build it with the Dockerfile instead: docker build -t breakwater .',
      exitCode: EXIT.environment,
    })
  }
  const k6 = await findK6({ env, k6SourceDir: projectPath('k6'), onProgress })
  const config = imageConfig(readFileSync(projectPath('Dockerfile'), 'utf8'))
  const layers = await imageLayers({ env, k6 })
  try {
    return writeOciArchive({ file, name, config, layers })
  } catch (cause) {
    const message = `cannot write the image to ${file}: ${fileFailure(cause)}`
    throw new BreakwaterError(message, { exitCode: EXIT.environment, cause })
  }
}

const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin'

/** Container settings of a Dockerfile's last stage; PATH is that of the base images. */
export function imageConfig(dockerfile: string): ImageConfig {
  const steps = readDockerfile(dockerfile).at(-1)?.steps ?? []
  const findText = (name: string) => steps.findLast(({ instruction }) => instruction === name)?.text ?? ''
  const parseWords = (name: string): string[] => JSON.parse(findText(name) || '[]')
  return {
    User: findText('USER'),
    WorkingDir: findText('WORKDIR'),
    Entrypoint: parseWords('ENTRYPOINT'),
    Cmd: parseWords('CMD'),
    Env: [PATH, ...findText('ENV').split(' ')],
    ExposedPorts: Object.fromEntries(
      findText('EXPOSE')
        .split(' ')
        .map((port) => [`${port}/tcp`, {}]),
    ),
  }
}

type ImageConfig = {
  User: string
  WorkingDir: string
  Entrypoint: readonly string[]
  Cmd: readonly string[]
  Env: readonly string[]
  ExposedPorts: Readonly<Record<string, object>>
}

type OciArchiveOptions = {
  /** The archive to write. Its layers are built next to it. */
  file: string
  /** The image's full name with its tag, `localhost/breakwater:1`. */
  name: string
  config: ImageConfig
  /** Files of each layer, lowest first. Parent folders are added. */
  layers: readonly (readonly TarEntry[])[]
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const TYPE = 'application/vnd.oci.image'

/** Writes an OCI archive and returns its manifest's digest. The same files give the same bytes. Throws node:fs errors. */
export function writeOciArchive(options: OciArchiveOptions): { digest: string } {
  const layers = options.layers.map((entries, index) =>
    writeTar(`${options.file}.layer-${index}`, withFolders(entries)),
  )
  try {
    const image = blob(`${TYPE}.config.v1+json`, {
      architecture: ARCHITECTURES[process.arch] ?? process.arch,
      os: 'linux',
      config: options.config,
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    })
    const manifest = blob(`${TYPE}.manifest.v1+json`, {
      schemaVersion: 2,
      mediaType: `${TYPE}.manifest.v1+json`,
      config: image.descriptor,
      layers: layers.map(({ digest, size }) => ({ mediaType: `${TYPE}.layer.v1.tar`, digest, size })),
    })
    // containerd reads its own annotation, other tools that of the specification.
    const annotations = {
      'io.containerd.image.name': options.name,
      'org.opencontainers.image.ref.name': options.name.slice(options.name.lastIndexOf(':') + 1),
    }
    writeTar(options.file, [
      jsonEntry('oci-layout', { imageLayoutVersion: '1.0.0' }),
      jsonEntry('index.json', { schemaVersion: 2, manifests: [{ ...manifest.descriptor, annotations }] }),
      manifest.entry,
      image.entry,
      ...layers.map(({ digest, file }) => ({
        path: blobPath(digest),
        mode: 0o644,
        kind: 'file' as const,
        from: file,
      })),
    ])
    return { digest: manifest.descriptor.digest }
  } finally {
    for (const { file } of layers) rmSync(file, { force: true })
  }
}

function writeTar(file: string, entries: Iterable<TarEntry>): { file: string; digest: string; size: number } {
  const hash = createHash('sha256')
  const out = openSync(file, 'w')
  try {
    for (const chunk of tarChunks(entries)) {
      hash.update(chunk)
      writeSync(out, chunk)
    }
  } finally {
    closeSync(out)
  }
  return { file, digest: `sha256:${hash.digest('hex')}`, size: statSync(file).size }
}

/** Adds parent folders: a runtime would create missing ones with its own mode. */
function* withFolders(entries: readonly TarEntry[]): Generator<TarEntry> {
  const made = new Set(entries.filter(({ kind }) => kind === 'folder').map(({ path }) => path))
  for (const entry of entries) {
    const above: string[] = []
    for (let path = posix.dirname(entry.path); path !== '.' && !made.has(path); path = posix.dirname(path)) {
      above.unshift(path)
      made.add(path)
    }
    for (const path of above) yield { path, mode: 0o755, kind: 'folder' }
    yield entry
  }
}

function blob(
  mediaType: string,
  value: object,
): { descriptor: { mediaType: string; digest: string; size: number }; entry: TarEntry } {
  const data = Buffer.from(JSON.stringify(value))
  const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
  return {
    descriptor: { mediaType, digest, size: data.length },
    entry: { path: blobPath(digest), mode: 0o644, kind: 'data', data },
  }
}

function jsonEntry(path: string, value: object): TarEntry {
  return { path, mode: 0o644, kind: 'data', data: Buffer.from(JSON.stringify(value)) }
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`
}

export type Step = { instruction: string; text: string }

/** Instructions between two FROMs. The last stage has no name, and is the image. */
type Stage = { name: string; steps: readonly Step[] }

/** The stages of a Dockerfile without heredocs and escape directives; ignores instructions before the first FROM. */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { name: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (instruction === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1] ?? '', steps: [] })
    else stages.at(-1)?.steps.push({ instruction, text: rest })
  }
  return stages
}
