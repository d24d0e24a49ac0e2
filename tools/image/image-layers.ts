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

/** Loaded by name when an older C library resolves a host. */
const LIBC_PLUGINS = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2']

/** A program and its shared libraries, at their own paths. Throws BreakwaterError (environment) if one is missing. */
export function programFiles({ from, at }: { from: string; at: string }): TarEntry[] {
  const libraries = listLibraries(from)
  const named = libraries
    .filter((path) => /\/libc\.so/.test(path))
    .flatMap((libc) => LIBC_PLUGINS.map((name) => join(dirname(libc), name)))
  const all = [...libraries, ...named.filter((path) => existsSync(path))]
  return [{ from, at }, ...all.map((path) => ({ from: path, at: path.slice(1) }))].map((file) => ({
    path: file.at,
    mode: 0o755,
    kind: 'file',
    from: realpathSync(file.from),
  }))
}

async function findProgram(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(':').filter((path) => path !== '')) {
    const path = join(folder, name)
    if (await isExecutable(path)) return path
  }
  return undefined
}

// ldd exits with 1 for a static program.
function listLibraries(program: string): string[] {
  const { stdout, error } = spawnSync('ldd', [program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  const missing = /^\s*(\S+) => not found/m.exec(stdout ?? '')?.[1]
  if (error !== undefined || missing !== undefined) {
    throw new BreakwaterError(
      error === undefined
        ? `${program} needs a shared library that is missing: ${missing}`
        : `cannot list the libraries of ${program}: ${error.message}`,
      {
        hint: 'Build the image with the Dockerfile instead: docker build -t breakwater .',
        exitCode: EXIT.environment,
      },
    )
  }
  return [...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, path = '']) => path)
}

const HOME = 'opt/breakwater'

/** Programs that k6-operator and the command's first line run in the image. */
const TOOLS = ['sh', 'env', 'mkdir', 'dirname', 'cat', 'grep'] as const

/** Programs for debugging in a container. */
const MORE_TOOLS = ['ls', 'id', 'tail', 'wget'] as const

/** TLS certificate authorities, wherever a distribution keeps them. */
const AUTHORITIES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/cert.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
]

/**
 * The image's layers as in the Dockerfile, with this machine's Node instead of the base image's. Layers that rarely change come
 * first. Throws BreakwaterError (environment) if the machine lacks a file.
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

/** The image must include k6's license, the AGPL. */
function k6SourceFolder(): string {
  const args = ['list', '-m', '-f', '{{.Dir}}', 'go.k6.io/k6/v2']
  try {
    return execFileSync('go', args, { cwd: projectPath('k6'), encoding: 'utf8' }).trim()
  } catch (cause) {
    throw new BreakwaterError('cannot find the license of k6, which the image must contain: Go did not run', {
      hint: 'Install Go (https://go.dev/dl), then run in k6/: go mod download',
      exitCode: EXIT.environment,
      cause,
    })
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

/** Files of installed production packages in the lock file, such as `node_modules/zod/index.js`. */
function runtimePackageFiles(): string[] {
  const lock = lockSchema.parse(JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')))
  const packages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  // Packages for other platforms are only in the lock file.
  return packages.flatMap(([path]) => (existsSync(projectPath(path)) ? filesBelow(path) : []))
}

/** All files except nested packages, which the lock file lists separately. */
function filesBelow(path: string): string[] {
  return readdirSync(projectPath(path))
    .toSorted()
    .filter((name) => name !== 'node_modules')
    .map((name) => `${path}/${name}`)
    .flatMap((below) => (statSync(projectPath(below)).isDirectory() ? filesBelow(below) : [below]))
}

/** One path of a tar archive; `mode` is the file's or folder's, such as 0o755. Paths have no leading slash. */
export type TarEntry = { path: string; mode: number } & TarContent
type TarContent =
  | { kind: 'folder' }
  | { kind: 'link'; to: string }
  | { kind: 'data'; data: Uint8Array }
  | { kind: 'file'; from: string }

const BLOCK = 512
const CHUNK_BYTES = 1 << 20
const TYPES = { data: '0', file: '0', link: '2', folder: '5' } as const

/**
 * A tar archive in chunks (ustar, with a pax header for a long path). Everything belongs to root and has no time, so the same
 * entries give the same bytes. Throws node:fs errors.
 */
export function* tarChunks(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  for (const entry of entries) {
    const size = getSize(entry)
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

function getSize(entry: TarEntry): number {
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

/** A pax record, whose length includes itself; empty if a plain header can hold the value. */
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
      if (read === 0) throw new RangeError(`${path} was truncated while it was read`)
      yield chunk.subarray(0, read)
      left -= read
    }
  } finally {
    closeSync(file)
  }
}
