import { expect, test } from 'vitest'
import { type SourceFile, sourceFiles } from './source-files.ts'

const FUNCTION = /^export (?:async )?function\*? (\w+)/
const SHAPE = /^export type (\w+)(?:<[^=]*>)? = \{/

/** Functions of an entry for k6 are called by k6 alone: the first line of the file says what it plays. */
const files = sourceFiles(['.ts', '.mjs', '.js']).filter(({ path }) => !/\.test\.ts$|\.k6\.ts$/.test(path))

test('each exported function says what it takes, gives and throws', () => {
  expect(undocumented(files, FUNCTION)).toEqual([])
})

test('each shape of the contract says what it is', () => {
  const contract = files.filter(({ path }) => path.startsWith('contract/'))
  expect(undocumented(contract, SHAPE)).toEqual([])
})

test('each entry for k6 says in its first line what it plays', () => {
  const entries = sourceFiles(['.k6.ts'])
  expect(entries.length).toBeGreaterThan(30)
  expect(entries.filter(({ text }) => !/^(\/\/|\/\*\*) ?\S/.test(text)).map(({ path }) => path)).toEqual([])
})

test('what is not documented is found out', () => {
  const text =
    '/** Adds. */\nexport function add() {}\n\nexport async function take() {}\n/** A. */\n\nexport function* each() {}'
  expect(undocumented([{ path: 'a.ts', text }], FUNCTION)).toEqual(['a.ts:4: take', 'a.ts:7: each'])
  expect(undocumented([{ path: 'b.ts', text: 'export type B = { c: 1 }' }], SHAPE)).toEqual(['b.ts:1: B'])
})

/** Where a declaration of that form has no comment that ends in the line before it. */
function undocumented(sources: readonly SourceFile[], declaration: RegExp): string[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, index) => {
      const [, name] = declaration.exec(line) ?? []
      return name === undefined || lines[index - 1]?.endsWith('*/') ? [] : [`${path}:${index + 1}: ${name}`]
    })
  })
}
