import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseJsonFile } from '../contract/json-file.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { buildCase, huntCaseSchema, nameCase, readCases } from './hunt-case.ts'
import { huntWorldSchema, type Violation } from './schedule.ts'

const violation: Violation = {
  rule: 'client.429.waits',
  client: 'wallet 2',
  shape: 'GET /swaps was sent again N times',
  observed: 'GET /swaps was sent again 2 times',
  advice: 'Wait.',
  evidence: [],
}
const world = huntWorldSchema.parse({})
const CASE = buildCase({ violation, schedule: [], world })

function parse(change: object) {
  const text = JSON.stringify({ ...CASE, ...change })
  return () => parseJsonFile({ file: 'a.json', text, schema: huntCaseSchema, what: 'hunt case' })
}

test('a saved case is read as it was', () => {
  expect(parse({})()).toEqual(CASE)
  expect(CASE).toEqual({
    specification: '0.1.0',
    finding: {
      rule: 'client.429.waits',
      client: 'wallet 2',
      shape: 'GET /swaps was sent again N times',
      observed: 'GET /swaps was sent again 2 times',
    },
    world: { world: 'tiny', seed: 7, choices: 'default', durationMs: 240_000 },
    schedule: null,
  })
})

test('the same violation has the same file, whatever its numbers', () => {
  expect(nameCase(CASE)).toMatch(/^429-waits-[0-9a-f]{8}\.json$/)
  const later = { ...violation, observed: 'GET /swaps was sent again 9 times' }
  expect(nameCase(buildCase({ violation: later, schedule: [], world }))).toBe(nameCase(CASE))
  const other = { ...violation, client: 'wallet 3' }
  expect(nameCase(buildCase({ violation: other, schedule: [], world }))).not.toBe(nameCase(CASE))
})

const plan = { description: 'of a test', faults: [{ fault: 'http-reset' }] }

test.each([
  [
    { specification: '0.2.0' },
    /specification: expected "0.1.0", .* got "0.2.0"; hunt again to make a new case/,
  ],
  [
    { finding: { ...CASE.finding, rule: 'client.429.wait' } },
    /finding.rule: no client rule is named "client.429.wait"/,
  ],
  [{ schedule: { ...plan, faults: [{ fault: 'http-rest' }] } }, /schedule.faults\[0\].fault: /],
  [
    { schedule: { ...plan, faults: [{ fault: 'http-reset', when: { on: [0] } }] } },
    /schedule.faults\[0\].when.on\[0\]: /,
  ],
  [{ world: { durationMs: 1 } }, /world.durationMs: /],
])('refuses %j with the path of the problem', (change, message) => {
  expect(parse(change)).toThrow(message)
})

test('reads all cases of a folder except those of an exploration', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'explore-auth-csrf-0a1b2c3d.json'), '{"sequence":[]}')
  expect(await readCases(folder, 'cases')).toEqual([])
  writeFileSync(join(folder, 'secrets-not-in-urls-0a1b2c3d.json'), '{"sequence":[]}')
  await expect(readCases(folder, 'cases')).rejects.toThrow(/^cases\/secrets-not-in-urls-0a1b2c3d\.json: /)
})
