import { afterAll, beforeAll, expect, test } from 'vitest'
import { ELSEWHERE, LONG, SHORT } from './doc-commands.ts'
import { docPages } from './doc-pages.ts'
import { makeReader, type Reader } from './reader.ts'
import { runPage } from './run-page.ts'
import { shCommands } from './sh-commands.ts'

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

/** A page all of whose short lines an earlier one has as well is left out. */
const met = new Set<string>()
const withShort = pages
  .map((page) => ({ ...page, lines: page.lines.filter((line) => line in SHORT) }))
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

test.each(withShort)('$path: its short commands do what they say', { timeout: 400_000 }, async (page) => {
  const { lines, output } = await runPage(page, { reader, limitMs: 390_000 })
  const expected = page.lines.map((line) => ({ line, exitCode: SHORT[line] }))
  expect(lines, output.slice(-4000)).toEqual(expected)
})
