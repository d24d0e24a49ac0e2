import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Mix } from '../../contract/mix.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { startStub } from '../../simulator/stub.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { loadMix } from '../given-files.ts'
import { toTarget } from '../runs/worlds.ts'
import { lendOwnTokens } from './own-tokens.ts'

async function givenTarget(choices: keyof typeof CHOICE_SETS = 'default'): Promise<{
  target: Target
  close: () => Promise<void>
}> {
  const stub = await startStub({
    ...{ world: 'tiny', seed: 7, mutant: null, pace: 'manual', examples: 'none', choices },
  })
  onTestFinished(() => stub.close())
  return { target: { ...toTarget(stub), apiTokens: [] }, close: stub.close }
}

const bots = (): Promise<Mix> => loadMix('bots', '.')

test('a failed revocation is reported with the id of the token', async () => {
  const { target: given, close } = await givenTarget()
  const { io, written } = writtenIo()
  const { target, revoke } = await lendOwnTokens({ target: given, mix: await bots() }, { io, most: 1 })
  await close()
  await revoke()
  expect(written()).toMatch(
    /^breakwater: the API token [0-9a-f-]{36} of the wallet bw1\w+ was not revoked: POST \/auth\/challenge -> no answer: .*\n {2}Revoke it manually; it expires in a day\.$/m,
  )
  expect(written()).not.toContain(target.apiTokens[0])
})

test('load runs a mix of bots on a target with only wallets, and leaves no token', async () => {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more: { control: null } })
  const { clients, ...mix } = await bots()
  const brief = clients.map((client) => ({
    ...client,
    sessionDuration: { distribution: 'constant', seconds: 0 },
    feed: null,
  }))
  writeFileSync(join(cwd, 'brief.json'), JSON.stringify({ ...mix, clients: brief }))
  const tokens = async () =>
    /^breakwater_api_tokens .*$/m.exec(await (await fetch(given.stub.profile.metrics ?? '')).text())?.[0]
  const before = await tokens()
  const load = [
    'load',
    '--target',
    'profile.json',
    '--mix',
    './brief.json',
    '--rate',
    '20',
    '--output',
    'run',
  ]
  const { stderr } = await runCommandLine([...load, '--duration', '2s', '--warm-up', '1s'], {
    cwd,
    env: { ...process.env, BREAKWATER_API_TOKENS: '' },
  })
  expect(stderr).toContain('created API tokens for the mix, to be revoked at the end: 5\n')
  expect(await tokens()).toBe(before)
  const { entries } = await given.control('/journal?limit=1000')
  const routes = (entries as { route: string; status: number }[]).filter(
    ({ route }) => route === '/unclaimed',
  ) // as: the control API's own shape
  expect(new Set(routes.map(({ status }) => status))).toEqual(new Set([200]))
})
