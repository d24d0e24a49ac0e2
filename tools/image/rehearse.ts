import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { projectPath } from '../../scripts/project.ts'
import { readDockerfile, type Step } from './make-image.ts'

/** Checks of the finished image, run as its user, with only the working directory and /tmp writable. */
const TRIES = [
  ['does not run as root', 'test "$(id -u)" -ne 0'],
  ['has k6 on its PATH', 'k6 version'],
  [
    'has the bundled load scenario, which k6 loads until it misses its configuration',
    "k6 inspect /opt/breakwater/dist/load.k6.js 2>&1 | grep -q 'BREAKWATER_CONFIG is not set'",
  ],
  ['probes', "breakwater smoke --rules 'wire.*' --no-load"],
] as const

/**
 * Builds each stage of the Dockerfile over this machine's own files instead of the base images, then checks the last. Needs
 * Linux, root, Node, Go and mount permissions. Calls `report` for each check, or prints why it was skipped.
 */
export function rehearseImage(report: (name: string, problem: string | undefined) => void): void {
  const unfit = whyNot()
  if (unfit !== undefined) {
    console.log(`SKIPPED  the image build was not rehearsed: ${unfit}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-image-'))
  try {
    for (const { name, steps } of readDockerfile(readFileSync(projectPath('Dockerfile'), 'utf8'))) {
      const problem = buildStage(steps, { folder, root: makeRoot(folder, name) })
      report(`image, stage ${name || 'last'}`, problem)
      if (problem !== undefined) return
    }
    const image = {
      root: join(folder, 'last'),
      env: ['NODE_ENV=production', 'BREAKWATER_K6=/usr/local/bin/k6'],
    }
    for (const [name, script] of TRIES)
      report(`image ${name}`, runIn({ ...image, script, kind: 'read-only' }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'it takes Linux'
  const { status } = spawnSync('unshare', ['-m', 'true'])
  return status === 0 ? undefined : 'needs root, and permission to mount'
}

function makeRoot(folder: string, name: string): string {
  const root = join(folder, name || 'last')
  for (const part of ['files', 'work', 'mounted']) mkdirSync(join(root, part), { recursive: true })
  return root
}

function buildStage(
  steps: readonly Step[],
  { folder, root }: { folder: string; root: string },
): string | undefined {
  let directory = '/'
  const env: string[] = []
  for (const { instruction, text } of steps) {
    if (instruction === 'WORKDIR') {
      directory = text
      mkdirSync(join(root, 'files', text), { recursive: true })
    }
    if (instruction === 'ENV') env.push(...text.split(' '))
    if (instruction === 'COPY') copy(text, { folder, root, directory })
    if (instruction !== 'RUN') continue
    const problem = runIn({ root, env, script: `cd ${directory} && ${text}`, kind: 'writable' })
    if (problem !== undefined) return `RUN ${text}: ${problem}`
  }
  return undefined
}

function copy(
  text: string,
  { folder, root, directory }: { folder: string; root: string; directory: string },
): void {
  const words = text.split(' ')
  const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice(7) : undefined
  const to = join(root, 'files', (words.at(-1) ?? '').startsWith('/') ? '' : directory, words.at(-1) ?? '')
  for (const from of words.slice(0, -1)) {
    if (stage !== undefined) cpSync(join(folder, stage, 'files', from), to, { recursive: true })
    else for (const path of sentFiles(from)) copyFile(path, join(to, resolveTarget(path, from)))
  }
}

/** Copies a folder's content, but a file into the folder. */
function resolveTarget(path: string, from: string): string {
  return from.endsWith('/') ? path.slice(from.length) : path
}

function sentFiles(from: string): string[] {
  const isSent = contextFilter(readFileSync(projectPath('.dockerignore'), 'utf8'))
  const args = ['ls-files', '-co', '--exclude-standard']
  const all = execFileSync('git', args, { cwd: projectPath('.'), encoding: 'utf8' }).split('\n')
  return all.filter((path) => path !== '' && isSent(path) && (from === '.' || path.startsWith(from)))
}

function copyFile(path: string, to: string): void {
  if (!existsSync(projectPath(path))) return
  mkdirSync(dirname(to), { recursive: true })
  cpSync(projectPath(path), to)
}

function runIn(options: {
  root: string
  env: readonly string[]
  script: string
  kind: 'writable' | 'read-only'
}): string | undefined {
  const { root, env, script, kind } = options
  const mounted = join(root, 'mounted')
  const setUp = [
    'set -e',
    `mount -t overlay overlay -o lowerdir=/,upperdir=${root}/files,workdir=${root}/work ${mounted}`,
    `mount --rbind /proc ${mounted}/proc`,
    `mount --rbind /dev ${mounted}/dev`,
    ...(kind === 'writable'
      ? [`exec chroot ${mounted} env ${env.join(' ')} sh -c "$1"`]
      : [
          `mount -t tmpfs -o mode=1777 tmpfs ${mounted}/data`,
          `mount -t tmpfs -o mode=1777 tmpfs ${mounted}/tmp`,
          `mount -o remount,ro ${mounted}`,
          `exec chroot --userspec=1000:1000 ${mounted} env -i PATH=/usr/local/bin:/usr/bin:/bin ${env.join(' ')} sh -c "cd /data && $1"`,
        ]),
  ].join('\n')
  const { status, stdout, stderr } = spawnSync('unshare', ['-m', 'bash', '-c', setUp, 'bash', script], {
    encoding: 'utf8',
  })
  return status === 0 ? undefined : `ended with ${status}: ${`${stdout}${stderr}`.slice(-500)}`
}

/** Implements .dockerignore with `*`, `**` and `!`: the last match decides, and a folder includes everything below it. */
export function contextFilter(text: string): (path: string) => boolean {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ sent: line.startsWith('!'), fits: compileGlob(line.replace(/^!/, '')) }))
  return (path) => lines.findLast(({ fits }) => fits.test(path))?.sent ?? true
}

function compileGlob(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}(?:/.*)?$`)
}
