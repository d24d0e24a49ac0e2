import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../contract/breakwater-error.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { openOutputFile } from './output-file.ts'
import { projectPath } from './project.ts'

const interrupted = new AbortController().signal
const openIn = (folder: string, name: string) =>
  openOutputFile({ file: join(folder, name), shown: name, interrupted })

test('appears under its name only when finished', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'out'), 'older')
  const output = await openIn(folder, 'out')
  output.write('one\n')
  output.write(Buffer.from('two\n'))
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('older')
  output.finish()
  output.discard()
  expect(readdirSync(folder)).toEqual(['out'])
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('one\ntwo\n')
})

test('discarding keeps the old file', async () => {
  const folder = temporaryFolder()
  const output = await openIn(folder, 'out')
  output.write('one\n')
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^out\.[0-9a-f-]{36}\.tmp$/)])
  output.discard()
  output.discard()
  expect(readdirSync(folder)).toEqual([])
  expect(process.listeners('exit')).not.toContain(output.discard)
})

test('does not follow a planted link at its temporary file', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'secret'), 'mine')
  symlinkSync('secret', join(folder, `out.${process.pid}.tmp`))
  const output = await openIn(folder, 'out')
  output.write('text')
  output.finish()
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('mine')
})

test('keeps a link, and replaces its target', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'elsewhere'))
  writeFileSync(join(folder, 'elsewhere/file'), 'older')
  symlinkSync('elsewhere/file', join(folder, 'link'))
  const output = await openIn(folder, 'link')
  output.write('newer')
  output.finish()
  expect(readlinkSync(join(folder, 'link'))).toBe('elsewhere/file')
  expect(readFileSync(join(folder, 'elsewhere/file'), 'utf8')).toBe('newer')
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['file'])
})

// Root may write to anything.
test.runIf(process.getuid?.() !== 0)('does not replace a read-only file', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'out'), 'older')
  chmodSync(join(folder, 'out'), 0o444)
  await expect(openIn(folder, 'out')).rejects.toMatchObject({
    message: 'out: cannot be written: permission denied',
    exitCode: EXIT.environment,
  })
})

test('a write that exceeds the size limit keeps the old file', () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'out'), 'older')
  const command = `ulimit -f 8; exec '${process.execPath}' '${projectPath('scripts/breakwater.mjs')}' chain --world tiny --blocks 0 --events out`
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
  expect(stderr).toBe(
    'breakwater: out: cannot be written: it would be larger than the system allows\n  It and its folder must be writable, and the disk must have room.\n',
  )
  expect(status).toBe(EXIT.environment)
  expect(readdirSync(cwd)).toEqual(['out'])
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('older')
})

test('rejects the file that standard output is redirected to', () => {
  const cwd = temporaryFolder()
  const command = `exec '${process.execPath}' '${projectPath('scripts/breakwater.mjs')}' chain --world tiny --blocks 0 --events /dev/stdout > out`
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
  expect(stderr).toMatch(/^breakwater: \/dev\/stdout: standard output is redirected to that file\n/)
  expect(status).toBe(EXIT.usage)
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('')
})

function pipeReadBy(...command: [string, ...string[]]): { file: string; read: Promise<string> } {
  const file = join(temporaryFolder(), 'pipe')
  spawnSync('mkfifo', [file])
  const [name, ...args] = command
  const reader = spawn(name, [...args, file], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void reader.kill())
  let text = ''
  reader.stdout.on('data', (chunk) => {
    text += chunk
  })
  return { file, read: new Promise((done) => reader.on('close', () => done(text))) }
}

test('writes directly to a pipe', async () => {
  const { file, read } = pipeReadBy('cat')
  const output = await openIn(dirname(file), 'pipe')
  output.write('one\n')
  output.write('two\n')
  output.finish()
  expect(await read).toBe('one\ntwo\n')
  expect(readdirSync(dirname(file))).toEqual(['pipe'])
})

test('a reader that exits ends the writing without an error', async () => {
  const { file, read } = pipeReadBy('head', '-c', '4')
  const output = await openIn(dirname(file), 'pipe')
  // More than a pipe buffer: the first write cannot finish before the reader exits.
  for (let piece = 0; piece < 3; piece++) output.write('one\n'.repeat(2 ** 18))
  output.finish()
  expect(await read).toBe('one\n')
})

test('waits for a reader of a pipe until Ctrl-C', async () => {
  const file = join(temporaryFolder(), 'pipe')
  spawnSync('mkfifo', [file])
  const abort = new AbortController()
  const opening = openOutputFile({ file, shown: 'pipe', interrupted: abort.signal })
  abort.abort()
  await expect(opening).rejects.toMatchObject({ exitCode: EXIT.interrupted })
  // Releases the thread that still waits.
  spawnSync('sh', ['-c', `exec 3<>'${file}'`])
})
