import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { isExecutable } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { packedFiles } from '../pack/packed-files.ts'
import type { TarEntry } from './tar-chunks.ts'

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
      'the licence of k6, which the image must hold, is found with Go, and that did not run',
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
