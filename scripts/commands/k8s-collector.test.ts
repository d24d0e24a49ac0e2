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
const COLLECTOR = ['k8s', 'collector', '--port', '0', '--token-file', 'token']

test('creates its folder, stores appended lines, and exits with 0 on SIGTERM', async () => {
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
  'a full disk stores no part of an append, and works again once it has space',
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
  'many concurrent pushes fit into the memory of its pod',
  async () => {
    const { child, url } = await start({ line: [process.execPath] })
    const body = Buffer.alloc(8 << 20, 'x')
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => append(url, body, { offset: 0, name: `series-${index}` })),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    expect(Number(peakKb)).toBeLessThan(256 * 1024)
  },
)

test('prints its address, with --json as one object', async () => {
  const cwd = folderWithToken(`${TOKEN}\n`)
  const printed = async (argv: readonly string[]) => {
    const abort = new AbortController()
    const ended = await runCommandLine([...COLLECTOR, '--dir', 'kept', ...argv], {
      cwd,
      interrupted: abort.signal,
      onStdout: () => abort.abort(),
    })
    expect(ended).toMatchObject({ exitCode: 130, stderr: '' })
    return ended.stdout
  }
  expect(await printed([])).toMatch(/^Collecting at http:\/\/127\.0\.0\.1:\d+ into kept\n$/)
  expect(JSON.parse(await printed(['--json']))).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    dir: join(cwd, 'kept'),
  })
})

test.each([
  ['too short', 'short', 'contains no valid token'],
  ['two lines', `${TOKEN}\n${TOKEN}\n`, 'contains no valid token'],
  ['not there', null, 'cannot be read: there is no such file or folder'],
])('a token file that is %s is rejected', async (_, content, message) => {
  const cwd = content === null ? temporaryFolder() : folderWithToken(content)
  const { exitCode, stdout, stderr } = await runCommandLine([...COLLECTOR, '--dir', 'kept'], { cwd })
  expect(stderr).toBe(
    `breakwater: --token-file token: ${message}\n  Expected a file with 16 to 200 letters, digits or characters of ._~-, such as the output of \`openssl rand -hex 16\`.\n`,
  )
  expect([exitCode, stdout]).toEqual([2, ''])
})

test('reports a taken port', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number } // as: it listens on a port
  const { exitCode, stderr } = await runCommandLine([...COLLECTOR, '--dir', 'kept', `--port=${port}`], {
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

/** Starts the command in its own process, and resolves once it serves. */
async function start({ line }: { line: readonly string[] }) {
  const cwd = folderWithToken(TOKEN)
  const [command = '', ...before] = line
  const argv = [
    ...before,
    projectPath('scripts/breakwater.mjs'),
    ...COLLECTOR,
    '--dir',
    'kept/deep',
    '--json',
  ]
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
