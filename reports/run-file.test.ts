import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EXIT } from '../contract/breakwater-error.ts'
import { writeWhole } from './run-file.ts'
import { lineBatches } from './run-lines.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('replaces a file and leaves no other file', async () => {
  const file = path.join(dir, 'report.json')
  await writeWhole(file, 'first')
  await writeWhole(file, 'second')
  expect([await readFile(file, 'utf8'), await readdir(dir)]).toEqual(['second', ['report.json']])
})

test('a failed write is an environment error and leaves no file', async () => {
  const file = path.join(dir, 'report.json')
  await mkdir(path.join(file, 'in the way'), { recursive: true })
  await expect(writeWhole(file, 'text')).rejects.toMatchObject({
    message: expect.stringContaining(`${file}: cannot be written: `),
    exitCode: EXIT.environment,
  })
  expect(await readdir(dir)).toEqual(['report.json'])
})

test('does not follow a link planted as its temporary file', async () => {
  const [file, secret] = [path.join(dir, 'report.json'), path.join(dir, 'secret')]
  await writeFile(secret, 'mine')
  await symlink(secret, `${file}.${process.pid}.tmp`)
  await writeWhole(file, 'text')
  expect([await readFile(secret, 'utf8'), await readFile(file, 'utf8')]).toEqual(['mine', 'text'])
})

test('limits memory for a file without line ends', async () => {
  const file = path.join(dir, 'series.ndjson')
  await writeFile(file, 'x'.repeat(40 * 1024 * 1024))
  const lines = []
  for await (const batch of lineBatches(file)) lines.push(...batch)
  expect(lines.map(({ text, terminated }) => [text.length < 17 * 1024 * 1024, terminated])).toEqual([
    [true, false],
  ])
})
