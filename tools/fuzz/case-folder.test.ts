import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { leakingFiles, makeCaseFolder, SENTINEL_SECRET, snapshot, strayChanges } from './case-folder.ts'

const CHANGES: readonly { change: string; make: (root: string) => void; stray: string }[] = [
  { change: 'a new file', make: (root) => writeFileSync(join(root, 'home/x'), ''), stray: 'home/x' },
  { change: 'a new folder', make: (root) => mkdirSync(join(root, 'tmp/x')), stray: 'tmp/x' },
  { change: 'a new link', make: (root) => symlinkSync('.', join(root, 'cwd/x')), stray: 'cwd/x' },
  {
    change: 'another content of the same length',
    make: (root) => writeFileSync(join(root, 'sentinel/run.json'), '[]'),
    stray: 'sentinel/run.json',
  },
  {
    change: 'another mode',
    make: (root) => chmodSync(join(root, 'sentinel/run.json'), 0o777),
    stray: 'sentinel/run.json',
  },
  {
    change: 'a removed file',
    make: (root) => rmSync(join(root, 'sentinel/inner/file.txt')),
    stray: 'sentinel/inner/file.txt',
  },
]

test.each(CHANGES)('$change is seen, and nothing else', ({ make, stray }) => {
  const { root } = makeCaseFolder(temporaryFolder())
  const before = snapshot(root)
  make(root)
  expect(strayChanges(before, snapshot(root), ['x/*', 'other'])).toEqual([stray])
})

test('what the command may write is no stray, unless a link led to it', () => {
  const { root } = makeCaseFolder(temporaryFolder())
  const before = snapshot(root)
  mkdirSync(join(root, 'cwd/out'))
  writeFileSync(join(root, 'cwd/out/report.json'), SENTINEL_SECRET)
  expect(strayChanges(before, snapshot(root), ['out', 'out/*'])).toEqual([])
  expect(leakingFiles(root, before, snapshot(root))).toEqual(['cwd/out/report.json'])
})
