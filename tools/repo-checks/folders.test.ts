import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { sourceFiles } from './source-files.ts'

const SOURCE = ['.ts', '.mjs', '.js', '.py', '.go']
const sources = sourceFiles(SOURCE)
// Examples are for users, and have their own kind of pages.
const folders = [...new Set(sources.map(({ path }) => posix.dirname(path)))].filter(
  (folder) =>
    folder !== '.' && !folder.startsWith('examples/') && existsSync(projectPath(`${folder}/README.md`)),
)

test.each(folders)('the page of %s is short, and names files that exist', (folder) => {
  const text = readFileSync(projectPath(`${folder}/README.md`), 'utf8')
  expect(text).toMatch(new RegExp(`^# ${folder}\n\n`))
  expect(text.split('\n').length).toBeLessThanOrEqual(24)
  expect(listMissing(folder, text)).toEqual([])
})

test('a page that names a missing file is detected', () => {
  const text =
    'Begin with `stub.ts`, `world/`, `../contract/limits.ts`, `simulator/amm`, `not-there.ts`, `gone/`, `*.test.ts`.'
  expect(listMissing('simulator', text)).toEqual(['not-there.ts', 'gone/'])
})

/** Files and folders that a folder's page names, relative to it or to the root, but that do not exist. */
function listMissing(folder: string, text: string): string[] {
  const named = [...text.matchAll(/`([\w./-]+(?:\.(?:ts|mjs|js|py|go)|\/[\w-]*))`/g)].map(
    ([, name = '']) => name,
  )
  return named.filter(
    (name) => !existsSync(projectPath(posix.join(folder, name))) && !existsSync(projectPath(name)),
  )
}
