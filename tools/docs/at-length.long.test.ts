import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleOfTree } from '../test/tree-sample.ts'
import { docPages, ELSEWHERE, LONG, SHORT, shCommands } from './at-length.ts'
import { makeReader, type Reader } from './reader.ts'
import { runPage } from './run-page.ts'

const page = (block: string, language = 'sh') => `text\n\n\`\`\`${language}\n${block}\n\`\`\`\n\nmore\n`

test.each([
  ['a comment after it', 'npx breakwater stub   # terminal 1', ['npx breakwater stub']],
  ['a # inside of quotes, and one inside of a word', "echo '# a' b#c", ["echo '# a' b#c"]],
  ['an empty line, and one of a comment alone', 'a\n\n# only this\nb', ['a', 'b']],
  ['a line that goes on', 'A=1 \\\n  b --c', ['A=1 b --c']],
  ['blanks to line things up', 'a    b', ['a b']],
])('%s', (_, block, commands) => {
  expect(shCommands(page(block))).toEqual(commands)
})

test('all blocks of a page in order, and none of another language', () => {
  expect(shCommands(page('a') + page('b', 'text') + page('c', 'json') + page('d'))).toEqual(['a', 'd'])
})

describe('doc commands', () => {
  const pages = docPages().map(({ path, text }) => ({ path, text, lines: shCommands(text) }))
  const shown = new Set(pages.flatMap(({ lines }) => lines))
  const tables = { SHORT, LONG, ELSEWHERE }
  const known = Object.values(tables).flatMap((table) => Object.keys(table))

  test('each command of a page is known to just one table', () => {
    expect([...shown].filter((line) => known.filter((other) => other === line).length !== 1)).toEqual([])
  })

  test('the tables know no command that no page shows', () => {
    expect(known.filter((line) => !shown.has(line))).toEqual([])
  })

  /** Some of the pages, which the commit chooses; `npm run nightly` has all. A page all of whose short lines an earlier one has as well is left out. */
  const met = new Set<string>()
  const withShort = pages
    .map((page) => ({ ...page, name: page.path, lines: page.lines.filter((line) => line in SHORT) }))
    .filter(({ lines }) => {
      const isNews = lines.some((line) => !met.has(line))
      for (const line of lines) met.add(line)
      return isNews
    })

  let reader: Reader
  beforeAll(async () => {
    reader = await makeReader()
  }, 300_000)
  afterAll(() => reader?.close())

  test.each(sampleOfTree(withShort, 2))(
    '$name: its short commands do what they say',
    { timeout: 400_000 },
    async (page) => {
      const { lines, output } = await runPage(page, { reader, limitMs: 390_000 })
      const expected = page.lines.map((line) => ({ line, exitCode: SHORT[line] }))
      expect(lines, output.slice(-4000)).toEqual(expected)
    },
  )
})
