// Runs some rules through a fault proxy in front of the stub; `npm run nightly` has all rules, other seeds, and each choice.
import { expect, test } from 'vitest'
import { choicesSchema } from '../../contract/profile.ts'
import { HOSTILE_FEEDS } from './at-length.ts'
import {
  POOR_CREDENTIALS,
  runInOutage,
  runOnHostileFeed,
  runWithPersistentError,
  runWithStrangeResponses,
  runWithTarget,
  runWithTransientErrors,
  withoutChoices,
} from './fault-runs.ts'
import { OUTAGES, PERSISTENT_ERRORS } from './persistent-errors.ts'
import { nullableChoices } from './probe-behind.ts'

const RUN_MS_MAX = 640_000
/** Reads, sign-ins, tokens and sockets, without long waits. */
const RULES = 'wire.*,paging.pools.*,auth.refresh.*,auth.logout.*,api-token.*,ws.sync.*,ws.rooms.*'

test('transient errors fail no rule', { timeout: RUN_MS_MAX }, async () => {
  expect(
    await runWithTransientErrors({ choices: 'alternative', seed: 25, share: 0.1, rules: RULES }),
  ).toEqual([])
})

test('a persistent error fails the rules that it breaks, and no others', {
  timeout: RUN_MS_MAX,
}, async () => {
  const error = PERSISTENT_ERRORS['a response cut at the same byte']
  expect(error && (await runWithPersistentError(error, { choices: 'default' }))).toEqual([])
})

test('a complete outage fails no rule', { timeout: RUN_MS_MAX }, async () => {
  const outage = OUTAGES['a 500 for everything, after a second']
  expect(
    outage &&
      (await runInOutage(outage, { choices: 'default', rules: 'wire.pools.*,auth.refresh.*,ws.sync.*' })),
  ).toEqual([])
})

test('no probe crashes on malformed responses and frames', { timeout: RUN_MS_MAX }, async () => {
  expect(await runWithStrangeResponses({ choices: 'default', seed: 31, share: 0.1, rules: RULES })).toEqual(
    [],
  )
})

test('a profile without optional choices fails no rule', { timeout: RUN_MS_MAX }, async () => {
  const choices = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })
  expect(
    await runWithTarget({
      choices: 'alternative',
      rules: RULES,
      change: withoutChoices(nullableChoices(choices)),
    }),
  ).toEqual([])
})

test('an expired API token fails no rule', { timeout: RUN_MS_MAX }, async () => {
  const change = POOR_CREDENTIALS['an expired API token alone']
  expect(await runWithTarget({ choices: 'alternative', rules: RULES, change })).toEqual([])
})

test('a gateway that keeps restarting fails no rule', { timeout: RUN_MS_MAX }, async () => {
  expect(await runOnHostileFeed(HOSTILE_FEEDS['restarts repeatedly'], { rules: 'ws.sync.*' })).toEqual([])
})
