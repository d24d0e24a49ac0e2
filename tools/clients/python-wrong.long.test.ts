// The observer reports each wrong Python bot for exactly the rules that it breaks: a sample drawn by the commit.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test as vitestTest } from 'vitest'
import type { BreakwaterError } from '../../contract/breakwater-error.ts'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { runCommand } from '../../scripts/k6/run-command.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { FINDINGS_MAX } from '../../simulator/observer/findings.ts'
import { freshStub } from '../test/given-stub.ts'
import { foundOrSkipped } from '../test/programs.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { sampleByTree } from '../test/tree-sample.ts'
import { botEnvironment } from './bot-environment.ts'
import { BOT_SCENES, type WrongBot } from './bot-patches.ts'
import { BOT_FOLDER, botPython } from './python-environment.ts'
import { WRONG_BOTS } from './wrong-bots.ts'

const environment = await botPython({ env: process.env, onProgress: console.error }).catch(
  (error: BreakwaterError) => error,
)
const isReady = typeof environment === 'string'
const python = foundOrSkipped(isReady ? environment : undefined, {
  what: 'Python with httpx and websockets',
  remedy: isReady ? '' : `${environment.message}\n${environment.hint}`,
  env: process.env,
  tell: console.error,
})
const test = vitestTest.runIf(python)

/** For wrong bots that wait for what never comes. */
const LIMIT_MS = 40_000

const cases = Object.entries(WRONG_BOTS).map(([name, bot]) => ({ name, ...bot }))

vitestTest('each client rule has at least two wrong bots', () => {
  const broken = cases.flatMap(({ breaks }) => breaks)
  const counts = CLIENT_RULES.map(({ id }) => ({ id, bots: broken.filter((rule) => rule === id).length }))
  expect(counts.filter(({ bots }) => bots < 2)).toEqual([])
})

vitestTest('each passage that a wrong bot replaces is once in the right one', () => {
  for (const { patches } of cases) expect(() => patchedBot(patches)).not.toThrow()
})

test.each(sampleByTree(cases, 4))(
  '$name is detected: a bot that $wrong',
  { timeout: 120_000 },
  async ({ patches, breaks, faults, scene = 'day' }) => {
    // One of its own, because the observer reports a repeated violation once.
    const stub = await freshStub('default', {})
    const { observing, faults: live } = stub.inProcess
    if (faults) live.apply(faultPlanSchema.parse({ description: 'Of a wrong bot', faults }))
    const run = await runCommand(
      String(python),
      ['-m', 'unittest', `test_observed.ObservedTest.${BOT_SCENES[scene]}`],
      {
        cwd: patchedBot(patches),
        signal: AbortSignal.timeout(LIMIT_MS),
        env: {
          ...botEnvironment(stub).env,
          OTHER_API_TOKEN: stub.apiTokens[1],
          OTHER_ADDRESS: stub.wallets[2]?.address,
        },
      },
    )
    // Its sockets end with it.
    await expect.poll(() => stub.inProcess.gateway.sockets()).toEqual([])
    // Deadlines of what the bot did last.
    stub.world.advance(60_000)
    const { findings = [] } = observing?.observer.read({ after: 0, limit: FINDINGS_MAX }) ?? {}
    expect(new Set(findings.map(({ rule }) => rule)), run.lines.join('\n')).toEqual(new Set(breaks))
  },
)

/** Returns a folder with the bot, patched. */
function patchedBot(patches: WrongBot['patches']): string {
  const folder = temporaryFolder()
  cpSync(BOT_FOLDER, folder, { recursive: true })
  for (const { file, from, to } of patches) {
    const path = join(folder, file)
    const parts = readFileSync(path, 'utf8').split(from)
    if (parts.length !== 2) throw new Error(`${file}: ${parts.length - 1} times, not once: ${from}`)
    writeFileSync(path, parts.join(to))
  }
  return folder
}
