import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

test('no secret of the stub stands in anything that a run writes or prints', {
  timeout: 120_000,
}, async () => {
  const out = join(temporaryFolder(), 'run')
  const { stdout, stderr } = await runCommandLine(['smoke', '--no-load', '--seed', '7', '--out', out])
  // The same seed gives the same wallets and tokens.
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  await stub.close()

  const secrets = [...stub.apiTokens, ...stub.wallets.map(({ privateKeyJwk }) => String(privateKeyJwk?.d))]
  expect(secrets.length).toBeGreaterThan(10)
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
})
