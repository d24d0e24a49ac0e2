import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { projectPath } from '../../scripts/project-path.ts'
import { packedFiles } from '../pack/packed-files.ts'
import { findProgram, programFiles } from './program-files.ts'
import { runtimePackageFiles } from './runtime-packages.ts'
import type { TarEntry } from './tar-chunks.ts'

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
