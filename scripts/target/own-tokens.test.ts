import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Mix } from '../../contract/mix.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { startStub } from '../../simulator/stub.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { loadMix } from '../given-files.ts'
import { targetOf } from '../runs/worlds.ts'
import { lendOwnTokens, whyNoOwnTokens } from './own-tokens.ts'

const CHOICES = Object.keys(CHOICE_SETS) as (keyof typeof CHOICE_SETS)[] // as: its keys

async function givenTarget(choices: keyof typeof CHOICE_SETS = 'plain'): Promise<{
  target: Target
  close: () => Promise<void>
}> {
  const stub = await startStub({
    ...{ world: 'tiny', seed: 7, mutant: null, pace: 'manual', choices },
  })
  onTestFinished(() => stub.close())
  return { target: { ...targetOf(stub), apiTokens: [] }, close: stub.close }
}

const bots = (): Promise<Mix> => loadMix('bots', '.')

/** What /swaps responds to each token. */
async function statuses({ profile, apiTokens }: Target): Promise<number[]> {
  const asked = apiTokens.map((token) =>
    fetch(`${profile.baseUrl}/swaps?limit=1`, { headers: { Authorization: `Bearer ${token}` } }),
  )
  return (await Promise.all(asked)).map(({ status }) => status)
}

test.each(CHOICES)('makes tokens that work, and revokes them: choices %s', async (choices) => {
  const { target: given } = await givenTarget(choices)
  const { io, written } = writtenIo()
  const { target, revoke } = await lendOwnTokens({ target: given, mix: await bots() }, { io })
  expect(await statuses(target)).toEqual([200, 200, 200, 200, 200])
  expect(new Set(target.apiTokens).size).toBe(5)
  await revoke()
  expect(await statuses(target)).toEqual([401, 401, 401, 401, 401])
  expect(written()).not.toContain('is not revoked')
})

test('a revocation that fails is reported, with the token by its id', async () => {
  const { target: given, close } = await givenTarget()
  const { io, written } = writtenIo()
  const { target, revoke } = await lendOwnTokens({ target: given, mix: await bots() }, { io, most: 1 })
  await close()
  await revoke()
  expect(written()).toMatch(
    /^breakwater: the API token [0-9a-f-]{36} of the wallet bw1\w+ is not revoked: POST \/auth\/challenge -> no answer: .*\n {2}Revoke it yourself; it expires in a day\.$/m,
  )
  expect(written()).not.toContain(target.apiTokens[0])
})

test('a target that makes none is an error, with what to do', async () => {
  const { target } = await givenTarget()
  const wallets = target.wallets
    .filter(({ hasAccess }) => !hasAccess)
    .map((one) => ({ ...one, hasAccess: true }))
  const asked = lendOwnTokens({ target: { ...target, wallets }, mix: await bots() }, { io: writtenIo().io })
  await expect(asked).rejects.toMatchObject({
    message: expect.stringMatching(/^no API token could be made for the mix: POST \/auth\/verify -> 403 /),
    hint: 'Set BREAKWATER_API_TOKENS to API tokens of the target, or name a mix without clients that need one.',
    exitCode: 3,
  })
})

test('makes none for a mix that needs none, nor beside those that were given', async () => {
  const { target } = await givenTarget()
  const { io } = writtenIo()
  const withToken = { ...target, apiTokens: ['ss_given'] }
  expect((await lendOwnTokens({ target, mix: await loadMix('reads', '.') }, { io })).target).toBe(target)
  expect((await lendOwnTokens({ target: withToken, mix: await bots() }, { io })).target).toBe(withToken)
})

test('says why it cannot make any', async () => {
  const { target } = await givenTarget()
  const { choices } = target.profile
  const noCsrf = { ...choices, verify: { ...choices.verify, csrfToken: null } }
  expect(whyNoOwnTokens(target, null)).toBeUndefined()
  expect(whyNoOwnTokens(target, 'not allowed')).toBe('not allowed')
  expect(whyNoOwnTokens({ ...target, wallets: [] }, null)).toBe('no wallet with access that can sign')
  expect(whyNoOwnTokens({ ...target, profile: { ...target.profile, choices: noCsrf } }, null)).toBe(
    'the profile does not say where the CSRF token is (choices.verify.csrfToken)',
  )
})

test('load offers a mix of bots to a target with wallets alone, and leaves no token behind', async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const { clients, ...mix } = await bots()
  const brief = clients.map((client) => ({
    ...client,
    life: { distribution: 'constant', seconds: 0 },
    feed: null,
  }))
  writeFileSync(join(cwd, 'brief.json'), JSON.stringify({ ...mix, clients: brief }))
  const tokens = async () =>
    /^breakwater_api_tokens .*$/m.exec(await (await fetch(given.stub.profile.metrics ?? '')).text())?.[0]
  const before = await tokens()
  const load = ['load', '--target', 'profile.json', '--mix', './brief.json', '--rate', '20', '--out', 'run']
  const { stderr } = await runCommandLine([...load, '--duration', '2', '--warm-up', '1'], {
    cwd,
    env: { ...process.env, BREAKWATER_API_TOKENS: '' },
  })
  expect(stderr).toContain('made API tokens for clients of the mix, to be revoked at the end: 5\n')
  expect(await tokens()).toBe(before)
  const { entries } = await given.control('/journal?limit=1000')
  const routes = (entries as { route: string; status: number }[]).filter(
    ({ route }) => route === '/unclaimed',
  ) // as: the control API's own shape
  expect(new Set(routes.map(({ status }) => status))).toEqual(new Set([200]))
})
