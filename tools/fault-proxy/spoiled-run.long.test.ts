// Real runs of some rules with a proxy before the stub that spoils what passes; `npm run nightly` has all rules, other seeds, and
// each choice.
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
/** Reads, sign-ins, tokens, sockets: some of each, and what takes no long waiting. */
const RULES = 'wire.*,paging.pools.*,auth.refresh.*,auth.logout.*,api-token.*,ws.sync.*,ws.rooms.*'

test('passing trouble is no verdict on the exchange', { timeout: RUN_MS_MAX }, async () => {
  expect(await runInTrouble({ choices: 'odd', seed: 25, share: 0.1, rules: RULES })).toEqual([])
})

test('an error that does not go away: the rules that it breaks fail, and no others', {
  timeout: RUN_MS_MAX,
}, async () => {
  const error = PERSISTENT_ERRORS['an answer cut at the same byte']
  expect(error && (await runOnPersistentError(error, { choices: 'plain' }))).toEqual([])
})

test('an outage of everything breaks no rule', { timeout: RUN_MS_MAX }, async () => {
  const outage = OUTAGES['a 500 for everything, after a second']
  expect(
    outage &&
      (await runInOutage(outage, { choices: 'plain', rules: 'wire.pools.*,auth.refresh.*,ws.sync.*' })),
  ).toEqual([])
})

test('no probe breaks on answers and frames out of shape', { timeout: RUN_MS_MAX }, async () => {
  expect(await runOnStrangeAnswers({ choices: 'plain', seed: 31, share: 0.1, rules: RULES })).toEqual([])
})

test('nothing is held against an exchange whose profile tells nothing', { timeout: RUN_MS_MAX }, async () => {
  const choices = choicesSchema.parse({ rateLimit: { burst: 1, perSecond: 1, per: 'address' } })
  expect(await runAsTold({ choices: 'odd', rules: RULES, change: untold(nullableChoices(choices)) })).toEqual(
    [],
  )
})

test('nothing is held against an exchange whose API token has expired', { timeout: RUN_MS_MAX }, async () => {
  const change = POOR_CREDENTIALS['an expired API token alone']
  expect(await runAsTold({ choices: 'odd', rules: RULES, change })).toEqual([])
})

test('a gateway that restarts all the time is no verdict on it', { timeout: RUN_MS_MAX }, async () => {
  expect(await runOnHostileFeed(HOSTILE_FEEDS['restarts all the time'], { rules: 'ws.sync.*' })).toEqual([])
})
