import { expect, onTestFinished, test } from 'vitest'
import type { Mix } from '../../contract/mix.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { startStub } from '../../simulator/stub.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { loadMix } from '../given-files.ts'
import { toTarget } from '../runs/worlds.ts'
import { lendOwnTokens, whyNoOwnTokens } from './own-tokens.ts'

const CHOICES = Object.keys(CHOICE_SETS) as (keyof typeof CHOICE_SETS)[] // as: its keys

async function givenTarget(choices: keyof typeof CHOICE_SETS = 'default'): Promise<{
  target: Target
  close: () => Promise<void>
}> {
  const stub = await startStub({
    ...{ world: 'tiny', seed: 7, mutant: null, pace: 'manual', choices },
  })
  onTestFinished(() => stub.close())
  return { target: { ...toTarget(stub), apiTokens: [] }, close: stub.close }
}

const bots = (): Promise<Mix> => loadMix('bots', '.')

async function statuses({ profile, apiTokens }: Target): Promise<number[]> {
  const asked = apiTokens.map((token) =>
    fetch(`${profile.baseUrl}/swaps?limit=1`, { headers: { Authorization: `Bearer ${token}` } }),
  )
  return (await Promise.all(asked)).map(({ status }) => status)
}

test.each(CHOICES)('creates working tokens and revokes them: choices %s', async (choices) => {
  const { target: given } = await givenTarget(choices)
  const { io, written } = writtenIo()
  const { target, revoke } = await lendOwnTokens({ target: given, mix: await bots() }, { io })
  expect(await statuses(target)).toEqual([200, 200, 200, 200, 200])
  expect(new Set(target.apiTokens).size).toBe(5)
  await revoke()
  expect(await statuses(target)).toEqual([401, 401, 401, 401, 401])
  expect(written()).not.toContain('was not revoked')
})

test('a target that creates none is an error with a hint', async () => {
  const { target } = await givenTarget()
  const wallets = target.wallets
    .filter(({ hasAccess }) => !hasAccess)
    .map((one) => ({ ...one, hasAccess: true }))
  const asked = lendOwnTokens({ target: { ...target, wallets }, mix: await bots() }, { io: writtenIo().io })
  await expect(asked).rejects.toMatchObject({
    message: expect.stringMatching(/^could not create an API token for the mix: POST \/auth\/verify -> 403 /),
    hint: 'Set BREAKWATER_API_TOKENS to API tokens of the target, or use a mix without clients that need one.',
    exitCode: 3,
  })
})

test('creates none for a mix that needs none, or if some were given', async () => {
  const { target } = await givenTarget()
  const { io } = writtenIo()
  const withToken = { ...target, apiTokens: ['ss_given'] }
  expect((await lendOwnTokens({ target, mix: await loadMix('reads', '.') }, { io })).target).toBe(target)
  expect((await lendOwnTokens({ target: withToken, mix: await bots() }, { io })).target).toBe(withToken)
})

test('explains why it cannot create any', async () => {
  const { target } = await givenTarget()
  const { choices } = target.profile
  const noCsrf = { ...choices, verify: { ...choices.verify, csrfToken: null } }
  expect(whyNoOwnTokens(target, null)).toBeUndefined()
  expect(whyNoOwnTokens(target, 'not allowed')).toBe('not allowed')
  expect(whyNoOwnTokens({ ...target, wallets: [] }, null)).toBe('no wallet with access can sign')
  expect(whyNoOwnTokens({ ...target, profile: { ...target.profile, choices: noCsrf } }, null)).toBe(
    'the profile does not set choices.verify.csrfToken',
  )
})
