// The observer reports nothing about correct clients, in all scenes and under some of the fault plans; `npm run nightly` runs
// all plans.
import { describe, expect, test } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { createInProcessRunner } from '../../hunt/run-in-process.ts'
import { huntWorldSchema } from '../../hunt/schedule.ts'
import { RIGHT_CLIENTS } from '../../hunt/test-clients.ts'
import { faultPlanNames, loadFaults } from '../../scripts/given-files.ts'
import { sampleNames } from '../test/tree-sample.ts'
import { runScene, SCENES, type SceneName } from './scenes.ts'

/** Rules whose situation was handled right in some scene. */
const exercised = new Set<string>()

test.each(Object.keys(SCENES) as SceneName[])('draws no finding in the scene %s', async (scene) => {
  const { findings, duties } = await runScene(scene)
  expect(findings).toEqual([])
  for (const [rule, { handled }] of Object.entries(duties)) if (handled > 0) exercised.add(rule)
})

test('every rule was exercised', () => {
  const rules = CLIENT_RULES.map(({ id }) => id)
  expect(rules.filter((id) => !exercised.has(id))).toEqual([])
})

test.each(sampleNames(faultPlanNames(), 4))('draws no finding under the faults of %s', async (name) => {
  const { findings, triggered } = await runScene('day', { plan: await loadFaults(name, '.') })
  expect(findings).toEqual([])
  expect(triggered).toBeGreaterThan(0)
})

/** Faults that begin after minutes need a longer run. */
const PLANNED = huntWorldSchema.parse({ durationMs: 300_000 })

describe.each(Object.entries(RIGHT_CLIENTS))('%s', (_, client) => {
  test.each(sampleNames(faultPlanNames(), 2))('draws no finding under the faults of %s', async (name) => {
    const { faults } = await loadFaults(name, '.')
    const { violations } = await createInProcessRunner(client)(faults, PLANNED)
    expect(violations).toEqual([])
  })
})
