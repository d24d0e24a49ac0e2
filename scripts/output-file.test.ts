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

test('is there under its name only when it is finished', async () => {
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

test('discarded, leaves what was there', async () => {
  const folder = temporaryFolder()
  const output = await openIn(folder, 'out')
  output.write('one\n')
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^out\.[0-9a-f-]{36}\.tmp$/)])
  output.discard()
  output.discard()
  expect(readdirSync(folder)).toEqual([])
  expect(process.listeners('exit')).not.toContain(output.discard)
})

test('a link that was planted for its temporary file is not followed', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'secret'), 'mine')
  symlinkSync('secret', join(folder, `out.${process.pid}.tmp`))
  const output = await openIn(folder, 'out')
  output.write('text')
  output.finish()
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('mine')
})

test('a link stays, and leads to the new file', async () => {
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
test.runIf(process.getuid?.() !== 0)('a file that may not be written is not replaced either', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'out'), 'older')
  chmodSync(join(folder, 'out'), 0o444)
  await expect(openIn(folder, 'out')).rejects.toMatchObject({
    message: 'out: cannot be written: permission denied',
    exitCode: EXIT.environment,
  })
})

test('what becomes too large on the way leaves nothing but what was there', () => {
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

test('refuses the file that standard output goes into', () => {
  const cwd = temporaryFolder()
  const command = `exec '${process.execPath}' '${projectPath('scripts/breakwater.mjs')}' chain --world tiny --blocks 0 --events /dev/stdout > out`
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
  expect(stderr).toMatch(/^breakwater: \/dev\/stdout: standard output is redirected to that file\n/)
  expect(status).toBe(EXIT.usage)
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('')
})

/** A pipe with a name, and a process that reads it. */
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

test('a pipe is written straight to', async () => {
  const { file, read } = pipeReadBy('cat')
  const output = await openIn(dirname(file), 'pipe')
  output.write('one\n')
  output.write('two\n')
  output.finish()
  expect(await read).toBe('one\ntwo\n')
  expect(readdirSync(dirname(file))).toEqual(['pipe'])
})

test('a reader that goes away ends the writing, and is no error', async () => {
  const { file, read } = pipeReadBy('head', '-c', '4')
  const output = await openIn(dirname(file), 'pipe')
  // More than a pipe holds: the first cannot end before the reader has.
  for (let piece = 0; piece < 3; piece++) output.write('one\n'.repeat(2 ** 18))
  output.finish()
  expect(await read).toBe('one\n')
})

test('a pipe that nobody reads is waited for until the user ends it', async () => {
  const file = join(temporaryFolder(), 'pipe')
  spawnSync('mkfifo', [file])
  const abort = new AbortController()
  const opening = openOutputFile({ file, shown: 'pipe', interrupted: abort.signal })
  abort.abort()
  await expect(opening).rejects.toMatchObject({ exitCode: EXIT.interrupted })
  // Lets go of the thread that still waits.
  spawnSync('sh', ['-c', `exec 3<>'${file}'`])
})
