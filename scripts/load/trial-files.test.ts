import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findingSchema } from '../../contract/finding.ts'
import { historiesSchema } from '../../contract/history.ts'
import { HISTORY_RULES } from '../../contract/rules/history.ts'
import { encodeLog } from '../../histories/synthetic-log.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { appendHistory, judgeHistory, openTrialFiles } from './trial-files.ts'

const RULES = HISTORY_RULES.map(({ id }) => id)
const io = { status: () => {} } as never // as: nothing else is used
const claim = (atMs: number) => ({
  key: 'faucet a',
  operations: [
    {
      kind: 'F' as const,
      call: atMs * 1000,
      return: atMs * 1000 + 1,
      status: 200,
      argument: null,
      value: null,
    },
  ],
})

test('the logs of all processes are joined, and a finding is appended for each rule', async () => {
  const dir = temporaryFolder()
  const file = (name: string) => join(dir, name)
  for (const atMs of [1, 100]) {
    writeFileSync(file('history-1.log'), encodeLog([claim(atMs)]))
    await appendHistory(file('history-1.log'), file('history.log'))
  }
  await appendHistory(file('never-began.log'), file('history.log'))
  writeFileSync(file('findings.ndjson'), 'a line of k6\n')
  await judgeHistory({ file }, { rules: RULES, io })
  const [before, ...lines] = readFileSync(file('findings.ndjson'), 'utf8').trim().split('\n')
  const findings = lines.map((line) => findingSchema.parse(JSON.parse(line)))
  expect(before).toBe('a line of k6')
  expect(findings.map(({ rule, verdict }) => [rule, verdict])).toEqual(
    RULES.map((rule) => [rule, rule === 'history.faucet.once' ? 'fail' : 'skipped']),
  )
  const { operations, violations } = historiesSchema.parse(
    JSON.parse(readFileSync(file('histories.json'), 'utf8')),
  )
  expect([operations, violations.length]).toEqual([2, 1])
})

test('marks a trial whose series has no end, and the series of the run has none either', async () => {
  const dir = temporaryFolder()
  const file = (name: string) => join(dir, name)
  const files = await openTrialFiles({ dir, file }, { k6: '2.2.0', startMs: 0 })
  const header = { type: 'header', format: 2, k6: '2.2.0', start: '', scale: 7 }
  const finish = async (trial: number, ...ends: object[]) => {
    const series = join(await files.begin(trial), 'series-1.ndjson')
    writeFileSync(series, [header, ...ends].map((line) => `${JSON.stringify(line)}\n`).join(''))
    const run = { seriesFiles: [series], historyFiles: [], stderrFiles: [] }
    const { notes } = await files.finish([{ trial } as never], run as never) // as: nothing else is used
    return notes
  }
  expect(await finish(1, { type: 'end' })).toEqual([])
  expect(await finish(2)).toEqual([
    'trials/2/series-1.ndjson has no end: its k6 was stopped, or its disk was full.',
  ])
  await files.end(9000)
  expect(readFileSync(file('trials.ndjson'), 'utf8')).toBe('{"trial":1}\n{"trial":2,"samplesMissing":true}\n')
  expect(readFileSync(file('series.ndjson'), 'utf8').split('\n')).toHaveLength(2)
})

test('a load without rules of histories has no findings', async () => {
  const dir = temporaryFolder()
  await judgeHistory({ file: (name) => join(dir, name) }, { rules: [], io })
  expect(existsSync(join(dir, 'findings.ndjson'))).toBe(false)
})

test('a file that cannot be written is an error for the user', async () => {
  const dir = temporaryFolder()
  const file = (name: string) => join(dir, name)
  mkdirSync(file('findings.ndjson'))
  await expect(judgeHistory({ file }, { rules: RULES, io })).rejects.toMatchObject({ exitCode: 3 })
})
