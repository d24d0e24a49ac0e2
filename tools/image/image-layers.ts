import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { isExecutable } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { packedFiles } from '../pack/packed-files.ts'

/** Loaded by name where an older C library looks up a host. */
const BESIDE_LIBC = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']

/**
 * A program of this machine, put at `at`, and the shared libraries that it asks for, at their own paths. Throws a BreakwaterError
 * (environment) where one is missing.
 */
export function programFiles({ from, at }: { from: string; at: string }): TarEntry[] {
  const libraries = librariesOf(from)
  const named = libraries
    .filter((path) => /\/libc\.so/.test(path))
    .flatMap((libc) => BESIDE_LIBC.map((name) => join(dirname(libc), name)))
  const all = [...libraries, ...named.filter((path) => existsSync(path))]
  return [{ from, at }, ...all.map((path) => ({ from: path, at: path.slice(1) }))].map((file) => ({
    path: file.at,
    mode: 0o755,
    kind: 'file',
    from: realpathSync(file.from),
  }))
}

/** The first file of that name on the PATH; undefined: there is none. */
async function findProgram(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(':').filter((path) => path !== '')) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return undefined
}

// ldd ends with 1 for a static program.
function librariesOf(program: string): string[] {
  const { stdout, error } = spawnSync('ldd', [program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  const missing = /^\s*(\S+) => not found/m.exec(stdout ?? '')?.[1]
  if (error !== undefined || missing !== undefined) {
    throw new BreakwaterError(
      error === undefined
        ? `${program} asks for a shared library that is not here: ${missing}`
        : `what ${program} is linked with cannot be told: ${error.message}`,
      {
        hint: 'Make the image with the Dockerfile instead: docker build -t breakwater .',
        exitCode: EXIT.environment,
      },
    )
  }
  return [...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, path = '']) => path)
}

const HOME = 'opt/breakwater'

/** What k6-operator runs in the image, and what the command's own first line asks for. */
const TOOLS = ['sh', 'env', 'mkdir', 'dirname', 'cat', 'grep'] as const

/** What a person looks for in a container. */
const MORE_TOOLS = ['ls', 'id', 'tail', 'wget'] as const

/** Authorities of TLS, wherever a distribution keeps them. */
const AUTHORITIES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/cert.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
]

/**
 * The layers of the image as the Dockerfile has it, with this machine's Node in place of the base image's; what changes rarely
 * lies lowest. Throws a BreakwaterError (environment) where the machine lacks something.
 */
export async function imageLayers({
  env,
  k6,
}: {
  env: NodeJS.ProcessEnv
  k6: string
}): Promise<TarEntry[][]> {
  return [await systemFiles(env), k6Files(k6), modules(), packageFiles()]
}

async function systemFiles(env: NodeJS.ProcessEnv): Promise<TarEntry[]> {
  const tools = await Promise.all(
    [...TOOLS, ...MORE_TOOLS].map(async (name) => ({ name, from: await findProgram(name, env) })),
  )
  const missing = tools.find(({ name, from }) => from === undefined && TOOLS.some((tool) => tool === name))
  if (missing !== undefined) {
    throw new BreakwaterError(`the image needs ${missing.name}, which is not on the PATH`, {
      exitCode: EXIT.environment,
    })
  }
  const programs = [
    programFiles({ from: process.execPath, at: 'usr/local/bin/node' }),
    ...tools.map(({ name, from }) => (from === undefined ? [] : programFiles({ from, at: `bin/${name}` }))),
  ].flat()
  const authorities = AUTHORITIES.find((path) => existsSync(path))
  return [
    folder('tmp', 0o1777),
    text('etc/passwd', 'root:x:0:0:root:/:/bin/sh\nnode:x:1000:1000:node:/tmp:/bin/sh\n'),
    text('etc/group', 'root:x:0:\nnode:x:1000:\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'usr/bin/env', mode: 0o777, kind: 'link', to: '/bin/env' },
    ...(authorities === undefined ? [] : [file('etc/ssl/certs/ca-certificates.crt', authorities)]),
    // Programs share libraries.
    ...new Map(programs.map((entry) => [entry.path, entry])).values(),
  ]
}

function k6Files(k6: string): TarEntry[] {
  return [
    ...programFiles({ from: k6, at: 'usr/local/bin/k6' }),
    file('usr/local/share/licenses/k6/LICENSE.md', join(k6SourceFolder(), 'LICENSE.md')),
  ]
}

/** k6 is under the AGPL, whose text goes along. */
function k6SourceFolder(): string {
  const args = ['list', '-m', '-f', '{{.Dir}}', 'go.k6.io/k6/v2']
  try {
    return execFileSync('go', args, { cwd: projectPath('k6'), encoding: 'utf8' }).trim()
  } catch (cause) {
    throw new BreakwaterError(
      'the license of k6, which the image must hold, is found with Go, and that did not run',
      {
        hint: 'Install Go (https://go.dev/dl), then in k6/: go mod download',
        exitCode: EXIT.environment,
        cause,
      },
    )
  }
}

function modules(): TarEntry[] {
  return runtimePackageFiles().map((path) => file(`${HOME}/${path}`, projectPath(path)))
}

function packageFiles(): TarEntry[] {
  return [
    ...packedFiles().map(({ path }) => file(`${HOME}/${path}`, projectPath(path))),
    { path: 'usr/local/bin/breakwater', mode: 0o777, kind: 'link', to: `/${HOME}/scripts/breakwater.mjs` },
    folder('data', 0o1777),
  ]
}

function file(path: string, from: string): TarEntry {
  const isProgram = (statSync(from).mode & 0o100) !== 0 || path === `${HOME}/scripts/breakwater.mjs`
  return { path, mode: isProgram ? 0o755 : 0o644, kind: 'file', from }
}

function text(path: string, content: string): TarEntry {
  return { path, mode: 0o644, kind: 'data', data: Buffer.from(content) }
}

function folder(path: string, mode: number): TarEntry {
  return { path, mode, kind: 'folder' }
}

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })

/** Files of the installed packages that run, `node_modules/zod/index.js`, as the lock has them: without those of development. */
function runtimePackageFiles(): string[] {
  const lock = lockSchema.parse(JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')))
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  // Of packages for other platforms only the lock knows.
  return packages.flatMap(([path]) => (existsSync(projectPath(path)) ? filesBelow(path) : []))
}

/** All files, but for the packages within: each is in the lock itself. */
function filesBelow(path: string): string[] {
  return readdirSync(projectPath(path))
    .toSorted()
    .filter((name) => name !== 'node_modules')
    .map((name) => `${path}/${name}`)
    .flatMap((below) => (statSync(projectPath(below)).isDirectory() ? filesBelow(below) : [below]))
}

/** What a tar archive holds of one path; `mode` is of the file or folder, such as 0o755. Paths are without a leading slash. */
export type TarEntry = { path: string; mode: number } & TarContent
type TarContent =
  | { kind: 'folder' }
  | { kind: 'link'; to: string }
  | { kind: 'data'; data: Uint8Array }
  /** The content of a file of this machine. */
  | { kind: 'file'; from: string }

const BLOCK = 512
const CHUNK_BYTES = 1 << 20
const TYPES = { data: '0', file: '0', link: '2', folder: '5' } as const

/**
 * A tar archive, piece by piece (ustar, with a pax header where a path is long). All belongs to root and has no time, so that
 * the same entries are the same bytes. Throws what node:fs does where a file cannot be read.
 */
export function* tarChunks(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  for (const entry of entries) {
    const size = sizeOf(entry)
    const path = entry.kind === 'folder' ? `${entry.path}/` : entry.path
    const to = entry.kind === 'link' ? entry.to : ''
    const long = paxRecord('path', path) + paxRecord('linkpath', to)
    if (long !== '') {
      const data = Buffer.from(long)
      yield header({ path: 'long-name', to: '', mode: 0o644, type: 'x', size: data.length })
      yield data
      yield padding(data.length)
    }
    yield header({ path, to, mode: entry.mode, type: TYPES[entry.kind], size })
    if (entry.kind === 'data') yield entry.data
    if (entry.kind === 'file') yield* fileChunks(entry.from, size)
    yield padding(size)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function sizeOf(entry: TarEntry): number {
  if (entry.kind === 'data') return entry.data.length
  return entry.kind === 'file' ? statSync(entry.from).size : 0
}

function header(fields: { path: string; to: string; mode: number; type: string; size: number }): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const put = (text: string, at: number, bytes: number) => block.write(text.slice(0, bytes), at, 'latin1')
  put(fields.path, 0, 100)
  put(octal(fields.mode, 7), 100, 7)
  put(octal(0, 7), 108, 7)
  put(octal(0, 7), 116, 7)
  put(octal(fields.size, 11), 124, 11)
  put(octal(0, 11), 136, 11)
  put(' '.repeat(8), 148, 8)
  put(fields.type, 156, 1)
  put(fields.to, 157, 100)
  put('ustar\x0000', 257, 8)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148, 8)
  return block
}

/** A record of a pax header, whose length counts itself; nothing where a plain header holds the value. */
function paxRecord(key: string, value: string): string {
  if (Buffer.byteLength(value) <= 100 && !/[^\x20-\x7e]/.test(value)) return ''
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`)
  return `${length}${rest}`
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
}

function* fileChunks(path: string, size: number): Generator<Uint8Array> {
  const file = openSync(path, 'r')
  try {
    let left = size
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left))
      const read = readSync(file, chunk)
      if (read === 0) throw new RangeError(`${path} became shorter while it was read`)
      yield chunk.subarray(0, read)
      left -= read
    }
  } finally {
    closeSync(file)
  }
}
