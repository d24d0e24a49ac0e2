import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSyntheticCapacityRun, queueTarget } from './synthetic-capacity-run.ts'
import { readTrials } from './trials.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
  file = path.join(dir, 'trials.ndjson')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const makeRun = () =>
  makeSyntheticCapacityRun({
    dir,
    seed: 1,
    target: queueTarget(400),
    trials: [{ rate: 100 }, { rate: 200 }, { rate: 440, ended: 'aborted', reason: 'p95 of all requests' }],
  })

test('reads what was written', async () => {
  const trials = await makeRun()
  expect(await readTrials(file)).toEqual({ trials, found: true, complete: true, notes: [] })
})

test('leaves throttling unknown for runs of an earlier version', async () => {
  const trials = await makeRun()
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll('"throttledShare":null,', ''))
  expect(await readFile(file, 'utf8')).not.toBe(text)
  expect((await readTrials(file)).trials).toEqual(trials)
})

test('a run without the file has no trials', async () => {
  expect(await readTrials(file)).toEqual({ trials: [], found: false, complete: false, notes: [] })
})

test.each([
  {
    what: 'text',
    damage: 'damage\n',
    note: 'trials.ndjson is damaged at line 4: that trial and all after it were not read.',
  },
  {
    what: 'a trial without a rate',
    damage: '{"trial":4}\n',
    note: 'trials.ndjson is damaged at line 4: that trial and all after it were not read.',
  },
  {
    what: 'a line cut in the middle',
    damage: '{"trial":4,"ph',
    note: 'trials.ndjson breaks off in the middle of line 4: that trial was not read.',
  },
])('reads up to $what, and says so', async ({ damage, note }) => {
  const trials = await makeRun()
  await appendFile(file, damage)
  expect(await readTrials(file)).toEqual({ trials, found: true, complete: false, notes: [note] })
})

test.each([1, 3])('trial %i a second time is damage: their samples cannot be separated', async (again) => {
  await makeRun()
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  await appendFile(file, `${lines[again - 1]}\n`)
  const { trials, notes } = await readTrials(file)
  expect(trials.map(({ trial }) => trial)).toEqual([1, 2, 3])
  expect(notes).toEqual([
    `trials.ndjson has trial ${again} out of order at line 4: that trial and all after it were not read.`,
  ])
})
