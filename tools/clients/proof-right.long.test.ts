// The observer reports nothing about a correct client, in all scenes and some of the fault plans; `npm run nightly` runs all
// plans.
import { expect, test } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { faultPlanNames, loadFaults } from '../../scripts/given-files.ts'
import { sampleNames } from '../test/tree-sample.ts'
import { runScene } from './run-scene.ts'
import { SCENES, type SceneName } from './scenes.ts'

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
