import { expect, test } from 'vitest'
import { headingAnchors } from './heading-anchors.ts'

test.each([
  ['# Files and exit codes', 'files-and-exit-codes'],
  ['### `series.ndjson`', 'seriesndjson'],
  ['## GET /status', 'get-status'],
  ['## What it accuses of, and what it lets pass', 'what-it-accuses-of-and-what-it-lets-pass'],
  ['## See [this](that.md)', 'see-this'],
])('%s', (heading, anchor) => {
  expect([...headingAnchors(`${heading}\n`)]).toEqual([anchor])
})

test('a heading that comes again is numbered; code holds none', () => {
  expect([...headingAnchors('# A\n\n## A\n\n```sh\n# not one\n```\n')]).toEqual(['a', 'a-1'])
})
