// Runs the commands of the deployment pages, with their profiles, against a stub at a non-loopback address. Interrupts each
// once it has announced its permissions; `npm run nightly` runs them to their end (at-length.ts).

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startStub } from '../../simulator/stub.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { docCommands, docPages } from './at-length.ts'
import { DEPLOYMENT_HOST, moveToDeployment, onDeployment } from './reader.ts'
import { breakwaterArguments, pageFiles } from './run-page.ts'

const PAGES = ['docs/guides/gate-a-release.md', 'docs/guides/test-a-deployment.md']

const commands = docPages()
  .filter(({ path }) => PAGES.includes(path))
  .flatMap(({ path, text }) =>
    docCommands({ path, text }).flatMap(({ line }) => {
      const words = breakwaterArguments(line) ?? []
      return /^(smoke|capacity|compare)$/.test(words[0] ?? '') ? [{ path, text, line, words }] : []
    }),
  )

/** A working directory with the page's files, for a deployment. */
async function followed(text: string): Promise<string> {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'real' })
  onTestFinished(() => stub.close())
  const cwd = temporaryFolder()
  for (const [file, content] of Object.entries(pageFiles(text))) {
    writeFileSync(join(cwd, file), onDeployment(content, stub))
  }
  mkdirSync(join(cwd, 'runs'))
  writeFileSync(join(cwd, 'wallets.json'), JSON.stringify(stub.wallets), { mode: 0o600 })
  const current = { name: 'current', ...moveToDeployment(stub), credentials: { wallets: 'wallets.json' } }
  writeFileSync(
    join(cwd, 'current.json'),
    JSON.stringify({ ...current, allow: { load: true, mutations: true } }),
  )
  return cwd
}

/** Runs a command until it prints its announcement, and returns its output. A comparison announces nothing, it just starts. */
async function awaitAnnouncement(
  words: readonly string[],
  cwd: string,
): Promise<{ exitCode: number; said: string }> {
  const interrupt = new AbortController()
  const argv = words.map((word) => (word === 'exchange.example' ? DEPLOYMENT_HOST : word))
  let said = ''
  const { exitCode } = await runCommandLine(argv, {
    env: { ...process.env, BREAKWATER_API_TOKENS: '', BREAKWATER_CONTROL_TOKEN: '' },
    cwd,
    onStderr: (text) => {
      said += text
      if (words[0] === 'compare' || said.includes('not encrypted')) interrupt.abort('SIGINT')
    },
    interrupted: interrupt.signal,
  })
  return { exitCode, said }
}

test('both pages have commands to run', () => {
  expect(new Set(commands.map(({ path }) => path))).toEqual(new Set(PAGES))
})

test.each(commands.filter(({ line }) => line.includes('--confirm')))(
  '$path: $line may do everything that its rules need',
  {
    timeout: 120_000,
  },
  async ({ text, words }) => {
    const { exitCode, said } = await awaitAnnouncement(words, await followed(text))
    expect(said).not.toMatch(/(changes|load): no|not judged|does not allow/)
    if (words[0] === 'smoke') expect(said).toMatch(/changes: yes[\s\S]*load: the mix/)
    expect(exitCode).toBe(130)
  },
)

test.each(commands.filter(({ line }) => !line.includes('--confirm')))(
  '$path: $line announces that it only reads',
  {
    timeout: 120_000,
  },
  async ({ text, words }) => {
    const { exitCode, said } = await awaitAnnouncement(words, await followed(text))
    expect(said).toMatch(/changes: no: [\s\S]*load: no: /)
    expect(exitCode).toBe(130)
  },
)
