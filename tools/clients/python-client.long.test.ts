// The Python bot's own tests, with a new stub for each.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test as vitestTest } from 'vitest'
import type { BreakwaterError } from '../../contract/breakwater-error.ts'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import { runCommand } from '../../scripts/k6/run-command.ts'
import type { RateLimit } from '../../simulator/exchange/access/rate-limit.ts'
import type { Stub } from '../../simulator/stub.ts'
import { freshStub } from '../test/given-stub.ts'
import { foundOrSkipped } from '../test/programs.ts'
import { botEnvironment } from './bot-environment.ts'
import { BOT_FOLDER, botPython } from './python-environment.ts'

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

/** Tests that need other limits than the stub's own. */
const LIMIT_OF: Readonly<Record<string, RateLimit>> = {
  test_waits_as_long_as_a_429_tells_it_to: { burst: 3, perSecond: 0.5, per: 'credential' },
}

describe.each(CHOICE_SET_NAMES)('at an exchange with %s choices', (choices) => {
  test.each(listTests('test_bot.py', 'BotTest'))('the bot %s', async (_, { name, path }) => {
    const rateLimit = LIMIT_OF[name]
    const { env } = botEnvironment(await freshStub(choices, rateLimit && { rateLimit }))
    await expectPassed([path], env)
  })

  test.each(listTests('test_observed.py', 'ObservedTest'))(
    'the observer: the bot %s',
    async (_, { path }) => {
      await expectPassed([path], botEnvironment(await freshStub(choices)).env)
    },
  )

  test.each(listTests('test_session.py', 'SessionTest'))('a session %s', async (_, { path }) => {
    await expectPassed([path], botEnvironment(await freshStub(choices)).env)
  })

  test('bot.py runs and prints the price, the trades and a quote at each revision', async () => {
    const stub = await freshStub(choices)
    const { views } = stub.world
    const { next, until, end } = startBot(stub)
    const [pool] = views.explorePools(LARGEST).rows
    if (!pool) throw new Error('there is no pool')
    expect(await next()).toMatch(`: ${pool.price}`)
    expect(await next()).toMatch(`quote at revision ${views.protocolState().revision}: `)
    stub.world.mine(40)
    const [newest] = views.trades({ pool: pool.pool.key, limit: 1, offset: 0 }).rows
    await until(`${newest?.kind} ${newest?.id}: ${newest?.amount0} ${newest?.amount1} at ${newest?.price}`)
    stub.world.changeConfig({ scope: 'fee_tiers', key: '3000' })
    stub.world.mine(1)
    await until(`quote at revision ${views.protocolState().revision}: `)
    expect(await end()).toEqual([130, null])
  })
})

test.each(['test_wait_seconds', 'test_wallet'])('the bot alone: %s', async (module) => {
  await expectPassed([module], process.env)
})

test('bot.py reports a missing token', async () => {
  const { env, profileFile } = botEnvironment(await freshStub('default'))
  const run = await runCommand(String(python), ['bot.py', profileFile], {
    env: { ...env, BREAKWATER_API_TOKENS: '' },
    cwd: BOT_FOLDER,
  })
  expect(run.exitCode).toBe(1)
  expect(run.lines).toEqual([
    'bot.py: BREAKWATER_API_TOKENS holds no API token',
    '  `breakwater stub` prints some.',
  ])
})

const LARGEST = { window: '1d', sort: 'tvlUsd', order: 'desc', limit: 1, offset: 0 } as const

function startBot(stub: Stub) {
  const { env, profileFile } = botEnvironment(stub)
  const bot = spawn(String(python), ['bot.py', profileFile], {
    env,
    cwd: BOT_FOLDER,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void bot.kill())
  const lines = createInterface({ input: bot.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next()
    if (done) throw new Error('the bot exited')
    return value
  }
  return {
    next,
    async until(text: string) {
      while (!(await next()).includes(text));
    },
    end() {
      bot.kill('SIGINT')
      return once(bot, 'close')
    },
  }
}

async function expectPassed(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const run = await runCommand(String(python), ['-m', 'unittest', ...args], { env, cwd: BOT_FOLDER })
  expect(run.lines.at(-1), run.lines.join('\n')).toBe('OK')
  expect(run.exitCode).toBe(0)
}

/** Lists a file's tests by their names, so that new ones run here too. */
function listTests(file: string, testCase: string): [title: string, { name: string; path: string }][] {
  const source = readFileSync(join(BOT_FOLDER, file), 'utf8')
  return [...source.matchAll(/async def (test_\w+)/g)].map(([, name = '']) => {
    const path = `${file.replace(/\.py$/, '')}.${testCase}.${name}`
    return [name.replace(/^test_/, '').replaceAll('_', ' '), { name, path }]
  })
}
