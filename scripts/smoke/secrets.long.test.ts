import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { RULES } from '../../contract/rules.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import type { Stub } from '../../simulator/stub.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine, writeShortMix } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { IN_FULL, sampleNames } from '../../tools/test/tree-sample.ts'
import { matchRules } from './plan.ts'

const seen = vi.hoisted(() => ({
  made: [] as string[],
  signatures: [] as string[],
  stubs: [] as Stub[],
  log: [] as string[],
}))

// All secrets of the stub: nonces, access and refresh tokens, CSRF tokens, tickets, API tokens.
vi.mock(import('../../simulator/auth/secret.ts'), async (original) => {
  const module = await original()
  return {
    ...module,
    createSecret: (stream) => {
      const secret = module.createSecret(stream)
      seen.made.push(secret)
      return secret
    },
  }
})

vi.mock(import('../../simulator/auth/challenges.ts'), async (original) => {
  const module = await original()
  return {
    ...module,
    createChallenges: (options) => {
      const challenges = module.createChallenges(options)
      return {
        ...challenges,
        answer: (attempt) => {
          seen.signatures.push(attempt.signature)
          return challenges.answer(attempt)
        },
      }
    },
  }
})

vi.mock(import('../../simulator/stub.ts'), async (original) => {
  const module = await original()
  return {
    ...module,
    startStub: async (options) => {
      const stub = await module.startStub({ ...options, log: (line) => seen.log.push(line) })
      seen.stubs.push(stub)
      return stub
    },
  }
})

const OTHERS = Object.keys(CHOICE_SETS).filter((name) => name !== 'default')
/** These rules send and receive every kind of secret. */
const SECRET_RULES = 'auth.*,api-token.*,ws.ticket.*,ws.rooms.own-balance'

test.each(['default', ...sampleNames(OTHERS, 1)])(
  'nothing that a run writes, prints or logs contains a secret of the stubs: %s',
  { timeout: 240_000 },
  async (choices) => {
    for (const list of Object.values(seen)) list.length = 0
    const cwd = temporaryFolder()
    const out = join(cwd, 'run')
    // All rules once; the run against a target has a load.
    const what = IN_FULL || choices === 'default' ? [] : ['--rules', SECRET_RULES]
    const printed = await runCommandLine(
      ['smoke', '--no-load', '--choices', choices, '--output', out, ...what],
      { cwd },
    )
    expect(seen.log.length).toBeGreaterThan(100)
    expectNoSecretIn(out, printed)
  },
)

test('nor in the files, output and logs of a run against a target', { timeout: 240_000 }, async () => {
  for (const list of Object.values(seen)) list.length = 0
  const dir = temporaryFolder()
  const { stub, writeProfile } = await givenStub(dir)
  const argv = ['smoke', '--target', writeProfile(), '--output', 'run', '--rules', SECRET_RULES]
  const printed = await runCommandLine([...argv, '--mix', writeShortMix(dir)], {
    cwd: dir,
    env: {
      ...process.env,
      BREAKWATER_API_TOKENS: stub.apiTokens.join(','),
      BREAKWATER_CONTROL_TOKEN: stub.controlToken,
    },
  })
  expect(printed.exitCode).toBe(0)
  expectNoSecretIn(join(dir, 'run'), printed)
})

test('nor in the files and output of a case, whose timeline has every request and frame', {
  timeout: 240_000,
}, async () => {
  for (const list of Object.values(seen)) list.length = 0
  const out = join(temporaryFolder(), 'run')
  // The probes of these rules, as a case.
  const saved = join(temporaryFolder(), 'secrets.json')
  const rules = ruleIds(SECRET_RULES)
  writeFileSync(saved, JSON.stringify({ title: 'Secrets', story: 'Are kept.', rules }))
  const printed = await runCommandLine(['repro', 'run', saved, '--output', out])
  expect(printed.stdout).toMatch(/ sent +POST \/auth\/verify .*"signature":"<redacted>"/)
  expect(printed.stdout).toMatch(/ sent +feed .*"token":"<redacted>"/)
  expect(readFileSync(join(out, 'timeline.html'), 'utf8')).toContain('redacted')
  expectNoSecretIn(out, printed)
})

const ruleIds = (globs: string) => matchRules(globs, RULES)

function expectNoSecretIn(out: string, { stdout, stderr }: { stdout: string; stderr: string }): void {
  const { made, signatures, stubs, log } = seen
  const secrets = {
    made,
    signatures,
    privateKeys: stubs.flatMap(({ wallets }) => wallets.map(({ privateKeyJwk }) => String(privateKeyJwk?.d))),
    apiTokens: stubs.flatMap(({ apiTokens }) => apiTokens),
    controlTokens: stubs.map(({ controlToken }) => controlToken),
  }
  for (const [kind, found] of Object.entries(secrets)) expect(found.length, kind).toBeGreaterThan(0)
  expect(made.length).toBeGreaterThan(50)
  const written = readdirSync(out).map((name) => ({ name, text: readFileSync(join(out, name), 'utf8') }))
  expect(written.length).toBeGreaterThan(6)
  for (const { name, text } of [
    ...written,
    { name: 'stdout', text: stdout },
    { name: 'stderr', text: stderr },
    { name: 'the log of the stubs', text: log.join('\n') },
  ]) {
    for (const [kind, found] of Object.entries(secrets)) {
      expect(
        found.filter((secret) => text.includes(secret)),
        `${kind} in ${name}`,
      ).toEqual([])
    }
    expect(text.match(/\bss_[A-Za-z0-9_-]{8,}/g), name).toBeNull()
  }
}
