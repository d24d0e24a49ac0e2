import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleByTree } from '../test/tree-sample.ts'
import { docCommands, docPages } from './at-length.ts'
import { makeReader, type Reader } from './reader.ts'
import { runPage } from './run-page.ts'

const block = (commands: string, info = 'sh') => `text\n\n\`\`\`${info}\n${commands}\n\`\`\`\n\nmore\n`
const commandsIn = (text: string) => docCommands({ path: 'page.md', text })

test.each([
  ['a trailing comment', 'npx breakwater stub   # terminal 1', ['npx breakwater stub']],
  ['a # inside quotes, and one inside a word', "echo '# a' b#c", ["echo '# a' b#c"]],
  ['an empty line, and a line with only a comment', 'a\n\n# only this\nb', ['a', 'b']],
  ['a continued line', 'A=1 \\\n  b --c', ['A=1 b --c']],
  ['alignment blanks', 'a    b', ['a b']],
])('%s', (_, commands, lines) => {
  expect(commandsIn(block(commands)).map(({ line }) => line)).toEqual(lines)
})

test('all sh blocks of a page in order, and none of another language', () => {
  const text = block('a') + block('b', 'text') + block('c', 'json') + block('d', 'sh long')
  expect(commandsIn(text).map(({ line, when }) => [line, when])).toEqual([
    ['a', 'run'],
    ['d', 'long'],
  ])
})

test.each([
  ['sh', [run(0), run(0)]],
  ['sh run=1', [run(1), run(1)]],
  [
    'sh elsewhere long=0|4',
    [
      { when: 'elsewhere', exitCodes: [0] },
      { when: 'long', exitCodes: [0, 4] },
    ],
  ],
])('a block with the fence %s', (info, marks) => {
  expect(commandsIn(block('a\nb', info))).toEqual([
    { line: 'a', ...marks[0] },
    { line: 'b', ...marks[1] },
  ])
})

function run(exitCode: number): object {
  return { when: 'run', exitCodes: [exitCode] }
}

test.each([
  ['sh run run run', 'page.md: ```sh run run run: 3 marks for 2 commands'],
  ['sh slow', 'page.md: slow: not a mark; expected run, long or elsewhere, such as run=1 or long=0|4'],
])('rejects %s', (info, message) => {
  expect(() => commandsIn(block('a\nb', info))).toThrow(message)
})

describe('doc commands', () => {
  /** A sample of pages, drawn by the commit; `npm run nightly` has all. Skips pages without new commands. */
  const met = new Set<string>()
  const withShort = docPages()
    .map((page) => ({
      ...page,
      name: page.path,
      commands: docCommands(page).filter(({ when }) => when === 'run'),
    }))
    .filter(({ commands }) => {
      const isNew = commands.some(({ line }) => !met.has(line))
      for (const { line } of commands) met.add(line)
      return isNew
    })

  let reader: Reader
  beforeAll(async () => {
    reader = await makeReader()
  }, 300_000)
  afterAll(() => reader?.close())

  test.each(sampleByTree(withShort, 2))(
    '$name: its short commands work as described',
    { timeout: 400_000 },
    async ({ commands, ...page }) => {
      const requested = commands.map(({ line }) => line)
      const { lines, output } = await runPage({ ...page, lines: requested }, { reader, limitMs: 390_000 })
      const expected = commands.map(({ line, exitCodes: [exitCode] }) => ({ line, exitCode }))
      expect(lines, output.slice(-4000)).toEqual(expected)
    },
  )
})
