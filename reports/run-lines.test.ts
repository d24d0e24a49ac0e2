import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLines } from './run-lines.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'breakwater-lines-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Chunks have 256 KiB. */
test.each([
  ['short lines over many chunks', Array.from({ length: 40_000 }, (_, index) => `line ${index} é`)],
  ['lines longer than several chunks', ['a'.repeat(900_000), 'b', 'é'.repeat(1_500_000), 'c']],
])('reads %s', async (_name, texts) => {
  const file = path.join(dir, 'lines.ndjson')
  writeFileSync(file, `${texts.join('\n\n')}\nunfinished`)
  const lines: unknown[] = []
  await readLines(file, ({ text, number, terminated }) => {
    lines.push({ text, number, terminated })
    return undefined
  })
  const expected = texts.map((text, index) => ({ text, number: 2 * index + 1, terminated: true }))
  const last = { text: 'unfinished', number: 2 * texts.length, terminated: false }
  expect(lines).toEqual([...expected, last])
})
