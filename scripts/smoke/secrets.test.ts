import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

const seen = vi.hoisted(() => ({ made: [] as string[], signatures: [] as string[] }))

// All that the stub hands out: nonces, access and refresh tokens, CSRF tokens, tickets, API tokens.
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

const SETS = Object.values(CHOICE_SETS).map(({ name }) => name)

test.each(SETS)(
  'no secret of the stub stands in anything that a run writes or prints: %s',
  {
    timeout: 120_000,
  },
  async (choices) => {
    const out = join(temporaryFolder(), 'run')
    const { stdout, stderr } = await runCommandLine([
      ...['smoke', '--no-load', '--seed', '7', '--choices', choices, '--out', out],
    ])
    // The same seed gives the same wallets.
    const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
    await stub.close()
    const privateKeys = stub.wallets.map(({ privateKeyJwk }) => String(privateKeyJwk?.d))

    const { made, signatures } = seen
    expect(Math.min(made.length, signatures.length, privateKeys.length)).toBeGreaterThan(10)
    const secrets = [...made, ...signatures, ...privateKeys]
    const written = readdirSync(out).map((name) => ({ name, text: readFileSync(join(out, name), 'utf8') }))
    expect(written.length).toBeGreaterThan(6)
    for (const { name, text } of [
      ...written,
      { name: 'stdout', text: stdout },
      { name: 'stderr', text: stderr },
    ]) {
      expect(
        secrets.filter((secret) => text.includes(secret)),
        name,
      ).toEqual([])
      expect(text.match(/ss_[A-Za-z0-9_-]{8,}/g), name).toBeNull()
    }
  },
)
