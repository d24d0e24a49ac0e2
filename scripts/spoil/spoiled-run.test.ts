// Real runs with a proxy before the stub that spoils what passes; `npm run nightly` tries other seeds, and each choice.
import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { nullableChoices } from './nullable-choices.ts'
import { runInTrouble, runOnStrangeAnswers, runUntold } from './spoiled-run.ts'

const RUN_MS_MAX = 300_000

test('passing trouble is no verdict on the exchange', { timeout: RUN_MS_MAX }, async () => {
  expect(await runInTrouble({ choices: 'odd', seed: 25, share: 0.1 })).toEqual([])
})

test('no probe breaks on answers and frames out of shape', { timeout: RUN_MS_MAX }, async () => {
  expect(await runOnStrangeAnswers({ choices: 'odd', seed: 2, share: 0.3 })).toEqual([])
})

test('nothing is held against an exchange whose profile tells nothing', { timeout: RUN_MS_MAX }, async () => {
  const choices = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })
  expect(await runUntold({ choices: 'odd', untold: nullableChoices(choices) })).toEqual([])
})
