import { expect, test } from 'vitest'
import { buildRunRecord, RUN_ANNOTATION, readRunRecord, runRecordSchema } from './run-record.ts'
import { plannedLoad } from './test-cluster-plan.ts'

test('contains all that collecting needs, and reads back unchanged', async () => {
  const plan = await plannedLoad()
  const record = buildRunRecord(plan, { startedAt: null })
  expect(record).toMatchObject({
    version: 1,
    command: 'breakwater k8s run',
    startedAt: null,
    target: { name: 'staging', baseUrl: 'http://exchange.example/api', wsUrl: 'ws://exchange.example:8081' },
    mix: 'reads',
    load: { rate: 100, warmUpSeconds: 2, seconds: 30 },
    seed: 7,
    strict: false,
    parallelism: 3,
    image: 'registry.example/breakwater:1',
    cpu: 1,
    memoryBytes: 536_870_912,
    results: { kind: 'pod' },
  })
  expect(record.slo).toEqual(plan.slo)
  expect(runRecordSchema.parse(record)).toEqual(record)
  expect(readRunRecord({ [RUN_ANNOTATION]: JSON.stringify(record) }, 'evening')).toEqual(record)
})

test.each([
  { what: 'without annotations', annotations: undefined, says: 'has no annotation breakwater/run' },
  { what: 'of another tool', annotations: { other: '1' }, says: 'has no annotation breakwater/run' },
  { what: 'that was truncated', annotations: { 'breakwater/run': '{"versi' }, says: 'cannot be read' },
  { what: 'of another version', annotations: { 'breakwater/run': '{"version":2}' }, says: 'cannot be read' },
])('rejects a TestRun $what', ({ annotations, says }) => {
  expect(() => readRunRecord(annotations as Record<string, string> | undefined, 'evening')).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(new RegExp(`^TestRun evening: .*${says}`)),
      hint: expect.any(String),
      exitCode: 3,
    }),
  )
})
