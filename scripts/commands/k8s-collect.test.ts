import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'

const TOKEN = 'a-token-of-the-test'
const COLLECT = ['k8s', 'collect', '--port', '0', '--token-file', 'token']

test('keeps what is appended, in a folder that it makes, until SIGTERM ends it in good order', async () => {
  const { child, url, cwd } = await start({ line: [process.execPath] })
  expect((await append(url, 'one\n', { offset: 0 })).status).toBe(200)
  child.kill('SIGTERM')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(readFileSync(join(cwd, 'kept/deep/a.ndjson'), 'utf8')).toBe('one\n')
})

const SMALL_DISK = ['unshare', '--map-root-user', '--mount', 'sh', '-c']
const MOUNT = 'mkdir -p kept/deep && mount -t tmpfs -o size=64k none kept/deep'
const canMount = spawnSync(SMALL_DISK[0] ?? '', [...SMALL_DISK.slice(1), MOUNT], { cwd: '/tmp' }).status === 0

test.runIf(canMount)(
  'a disk that is full takes nothing of an append, and goes on once there is room',
  async () => {
    const { url, child } = await start({
      line: [...SMALL_DISK, `${MOUNT} && exec "$@"`, 'sh', process.execPath],
    })
    expect((await append(url, 'x'.repeat(40_000), { offset: 0 })).status).toBe(200)
    const refused = await append(url, 'y'.repeat(40_000), { offset: 40_000 })
    expect([refused.status, await refused.json()]).toEqual([507, { error: 'the disk is full' }])
    const files = await fetch(`${url}/files`, { headers: { 'X-Breakwater-Token': TOKEN } })
    expect(await files.json()).toEqual([{ name: 'a.ndjson', size: 40_000 }])
    expect((await append(url, 'z'.repeat(10_000), { offset: 40_000 })).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
  },
)

test.runIf(process.platform === 'linux')(
  'however many push at once, it needs no more memory than its pod has',
  async () => {
    const { child, url } = await start({ line: [process.execPath] })
    const body = Buffer.alloc(8 << 20, 'x')
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => append(url, body, { offset: 0, name: `series-${index}` })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    expect(Number(peakKb)).toBeLessThan(256 * 1024)
  },
)

test('tells where it is, and with --json as one object', async () => {
  const cwd = folderWithToken(`${TOKEN}\n`)
  const printed = async (argv: readonly string[]) => {
    const abort = new AbortController()
    const ended = await runCommandLine([...COLLECT, '--dir', 'kept', ...argv], {
      cwd,
      interrupted: abort.signal,
      onStdout: () => abort.abort(),
    })
    expect(ended).toMatchObject({ exitCode: 130, stderr: '' })
    return ended.stdout
  }
  expect(await printed([])).toMatch(/^collects at http:\/\/127\.0\.0\.1:\d+ into kept\n$/)
  expect(JSON.parse(await printed(['--json']))).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    dir: join(cwd, 'kept'),
  })
})

test.each([
  ['too short', 'short', 'holds no token'],
  ['two lines', `${TOKEN}\n${TOKEN}\n`, 'holds no token'],
  ['not there', null, 'cannot be read: there is no such file or folder'],
])('a token file that is %s is refused', async (_, content, message) => {
  const cwd = content === null ? temporaryFolder() : folderWithToken(content)
  const { exitCode, stdout, stderr } = await runCommandLine([...COLLECT, '--dir', 'kept'], { cwd })
  expect(stderr).toBe(
    `breakwater: --token-file token: ${message}\n  Expected a file with 16 to 200 letters, digits or any of ._~- in it, such as \`openssl rand -hex 16\` prints.\n`,
  )
  expect([exitCode, stdout]).toEqual([2, ''])
})

test('a port that is taken is told', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number } // as: it listens on a port
  const { exitCode, stderr } = await runCommandLine([...COLLECT, '--dir', 'kept', `--port=${port}`], {
    cwd: folderWithToken(TOKEN),
  })
  expect([exitCode, stderr]).toEqual([
    3,
    `breakwater: --port ${port}: the port is in use\n  Use another port with --port, or 0 for any free one.\n`,
  ])
})

function folderWithToken(content: string): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'token'), content)
  return cwd
}

/** The command in a process of its own, once it serves. */
async function start({ line }: { line: readonly string[] }) {
  const cwd = folderWithToken(TOKEN)
  const [command = '', ...before] = line
  const argv = [...before, projectPath('scripts/breakwater.mjs'), ...COLLECT, '--dir', 'kept/deep', '--json']
  const child: ChildProcess = spawn(command, argv, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (!child.stdout) throw new Error('its output is no pipe')
  for await (const printed of createInterface(child.stdout)) {
    const { url } = JSON.parse(printed)
    return { child, url: String(url), cwd }
  }
  throw new Error('it ended before it served')
}

function append(
  url: string,
  body: string | Uint8Array,
  { offset, name = 'a.ndjson' }: { offset: number; name?: string },
): Promise<Response> {
  return fetch(`${url}/files/${name}?offset=${offset}`, {
    method: 'POST',
    headers: { 'X-Breakwater-Token': TOKEN },
    body,
  })
}
