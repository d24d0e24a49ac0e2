// Real runs with a proxy before the stub that spoils what passes; `npm run nightly` tries other seeds, and each choice.
import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { HOSTILE_FEEDS } from './at-length.ts'
import { OUTAGES, PERSISTENT_ERRORS } from './persistent-errors.ts'
import { nullableChoices } from './probe-behind.ts'
import {
  POOR_CREDENTIALS,
  runAsTold,
  runInOutage,
  runInTrouble,
  runOnHostileFeed,
  runOnPersistentError,
  runOnStrangeAnswers,
  untold,
} from './spoiled-run.ts'

const RUN_MS_MAX = 300_000

test('passing trouble is no verdict on the exchange', { timeout: RUN_MS_MAX }, async () => {
  expect(await runInTrouble({ choices: 'odd', seed: 25, share: 0.1 })).toEqual([])
})

test('an error that does not go away: the rules that it breaks fail, and no others', {
  timeout: RUN_MS_MAX,
}, async () => {
  const error = PERSISTENT_ERRORS['a list that ignores its offset']
  expect(error && (await runOnPersistentError(error, { choices: 'plain' }))).toEqual([])
})

test('an outage of everything breaks no rule', { timeout: RUN_MS_MAX }, async () => {
  const outage = OUTAGES['a 500 for everything, after a second']
  expect(outage && (await runInOutage(outage, { choices: 'plain' }))).toEqual([])
})

test('no probe breaks on answers and frames out of shape', { timeout: RUN_MS_MAX }, async () => {
  expect(await runOnStrangeAnswers({ choices: 'plain', seed: 31, share: 0.1 })).toEqual([])
})

test('nothing is held against an exchange whose profile tells nothing', { timeout: RUN_MS_MAX }, async () => {
  const choices = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })
  expect(await runAsTold({ choices: 'odd', change: untold(nullableChoices(choices)) })).toEqual([])
})

test('nothing is held against an exchange whose API token has expired', { timeout: RUN_MS_MAX }, async () => {
  const change = POOR_CREDENTIALS['an expired API token alone']
  expect(await runAsTold({ choices: 'odd', change })).toEqual([])
})

test('a gateway that restarts all the time is no verdict on it', { timeout: RUN_MS_MAX }, async () => {
  expect(await runOnHostileFeed(HOSTILE_FEEDS['restarts all the time'])).toEqual([])
})
