import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { BreakwaterError, certify, hunt, type InProcessClient } from './hunt.ts'

const DURATION_MS = 20_000

/** Reads once, as given. */
const createReader =
  (path: string): InProcessClient =>
  async ({ profile, wallet, apiToken, tools, fetch, WebSocket }) => {
    const { exchange } = createClient({ profile, as: { wallet }, tools, fetch, WebSocket })
    await exchange.get(`${path}${path.includes('?') ? apiToken : ''}`).catch(() => {})
  }

test('a finding is written as a case, which the next hunt runs first', async () => {
  const cases = temporaryFolder()
  const options = { schedules: 2, durationMs: DURATION_MS, cases }
  const report = await hunt(createReader('/pools?limit=1&key='), options)
  expect(report.findings).toMatchObject([{ rule: 'client.secrets.not-in-urls', minimum: { schedule: null } }])
  const [file = ''] = readdirSync(cases)
  expect(file).toMatch(/^secrets-not-in-urls-/)
  const fixed = await hunt(createReader('/pools'), options)
  expect(fixed.findings).toEqual([])
  expect(fixed.cases).toMatchObject([{ file: expect.stringContaining(file), reproduces: false }])
})

test.each([
  [{ durationMs: 1 }, 'durationMs: expected at least 1000'],
  [{ durationMs: [] }, 'durationMs: expected a number, found a list'],
  [{ choices: [] }, 'choices: expected '],
  [{ schedules: 0 }, 'schedules: expected at least 1'],
  [{ schedules: Number.NaN }, 'schedules: expected a number, found NaN'],
  [{ schedules: '5' }, 'schedules: expected a number, found a string'],
  [{ cases: 5 }, 'cases: expected a string, found a number'],
])('an invalid option is an error that names it: %o', async (options, says) => {
  // as: options of a JavaScript caller
  const run = hunt(createReader('/pools'), options as Parameters<typeof hunt>[1])
  await expect(run).rejects.toThrow(`hunt: not a valid set of options:\n  ${says}`)
})

test.each([
  ['hunt', 'client: missing; expected a function', () => hunt(undefined as never)],
  ['certify', 'client: missing; expected a function', () => certify(undefined as never, { name: 'reader' })],
  [
    'certify',
    '\\(top level\\): expected an object',
    () => certify(createReader('/pools'), undefined as never),
  ],
  ['certify', 'name: missing', () => certify(createReader('/pools'), {} as never)],
])('%s: %s', async (call, says, run) => {
  await expect(run()).rejects.toThrow(BreakwaterError)
  await expect(run()).rejects.toThrow(new RegExp(`^${call}: not a valid set of .*\n {2}${says}`))
})

test('a folder of cases that cannot be created is an error before the client runs', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  let runs = 0
  const run = hunt(
    async () => {
      runs++
    },
    { cases: join(file, 'cases') },
  )
  await expect(run).rejects.toThrow(`${file}: is a file, not a folder`)
  expect(runs).toBe(0)
})

test('certify returns a statement of what a client was shown to do right', async () => {
  const { subject, predicate } = await certify(createReader('/swaps'), { name: 'reader', version: '2.0.0' })
  expect(subject).toEqual([
    { name: 'reader@2.0.0', digest: { sha256: createHash('sha256').update('reader@2.0.0').digest('hex') } },
  ])
  expect(predicate).toMatchObject({ result: 'inconclusive', stub: { world: 'tiny', seed: 7 } })
  expect(predicate.duties.find(({ rule }) => rule === 'client.message.exact')).toMatchObject({
    verdict: 'pass',
    witness: { schedule: 'undisturbed' },
  })
  // as: an option of a JavaScript caller
  const misspelled = { name: 'reader', sed: 7 } as unknown as Parameters<typeof certify>[1]
  await expect(certify(createReader('/pools'), misspelled)).rejects.toThrow(
    /^certify: not a valid set of options:/,
  )
})
