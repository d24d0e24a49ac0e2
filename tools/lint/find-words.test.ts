import { expect, test } from 'vitest'
import { findWords } from './find-words.ts'

const found = async (path: string, text: string) =>
  (await findWords({ path, text })).map(({ line, message }) => `${line}: ${message}`)

test('finds a term in a page, and none in its code', async () => {
  const page = 'Fine.\n\nNobody is told `told`.\n\n```sh\ntold anew\n```\n'
  expect(await found('docs/page.md', page)).toEqual([
    '3: Incorrect term: “Nobody”, use “No one” instead',
    '3: Incorrect term: “told”, use “shown, printed, reported or given” instead',
  ])
})

test('finds a term in a comment and in a text, and none in names', async () => {
  const code = [
    'const told = answered.beside // goes on anew',
    "const short = 'told'",
    "throw new Error('the run, so many of them, ended')",
    ['const long = `it fails where the $', '{told} is`'].join(''),
  ].join('\n')
  expect(await found('a.ts', code)).toEqual([
    '1: Incorrect term: “anew”, use “again” instead',
    '3: Incorrect term: “so many”, use “the number, or the name of the limit” instead',
    '4: Incorrect term: “where the”, use “if, when, or in which” instead',
  ])
})

test.each([
  ['a.ts', '// What it is.\nlet a', ['1: A comment starts with “What”: start with a noun or a verb']],
  [
    'a.go',
    '/**\n * Whether it is.\n */',
    ['1: A comment starts with “Whether”: start with a noun or a verb'],
  ],
  ['a.py', 'a = 1  # Of a run', ['1: A comment starts with “Of”: start with a noun or a verb']],
  ['a.ts', '// The size\n// Of the file.', []],
  ['a.ts', '// What now?', []],
])('%s: %s', async (path, text, expected) => {
  expect(await found(path, text)).toEqual(expected)
})
