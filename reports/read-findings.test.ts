import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFindings } from './read-findings.ts'

const FINDING =
  '{"finding":1,"rule":"a.b","verdict":"pass","expected":"","observed":"","evidence":[],"scenario":"s","at":1}'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test.each([
  { what: 'findings alone', text: `${FINDING}\n${FINDING}\n`, found: 2, notes: [] },
  { what: 'a whole last line without a line end', text: FINDING, found: 1, notes: [] },
  {
    what: 'lines of other tools between them',
    text: `INFO hello\n${FINDING}\n{"level":"info"}\n42\n`,
    found: 1,
    notes: ['3 lines of findings.ndjson ignored: not findings.'],
  },
  {
    what: 'a last line cut in the middle',
    text: `${FINDING}\n${FINDING.slice(0, 40)}`,
    found: 1,
    notes: ['findings.ndjson ends in the middle of a line: a finding may be missing.'],
  },
  {
    what: 'an invalid finding',
    text: `${FINDING.replace('pass', 'perhaps')}\n`,
    found: 0,
    notes: ['findings.ndjson has 1 invalid finding: a failure may be missing.'],
  },
])('reads $what', async ({ text, found, notes }) => {
  const file = path.join(dir, 'findings.ndjson')
  await writeFile(file, text)
  const read = await readFindings(file)
  expect({ found: read.findings.length, notes: read.notes }).toEqual({ found, notes })
})

test('says that a file is missing', async () => {
  expect(await readFindings(path.join(dir, 'none'))).toEqual({
    findings: [],
    notes: ['findings.ndjson is missing: no scenario reported anything.'],
  })
})
