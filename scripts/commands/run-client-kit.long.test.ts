// The client kit of scenarios/lib/client with real k6, against a stub with faults.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DutyCounts, judgeDuty } from '../../simulator/observer/findings.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { projectPath } from '../project.ts'

const RUN_MS_MAX = 180_000

const RULES = [
  'own.restart.comes-back',
  'own.ticket.comes-back',
  'own.resync.reads-again',
  'own.revision.reads-state',
  'own.401.refreshes',
  'own.409.both-served',
  'own.429.waits',
  'own.503.tries-again',
] as const

const SCRIPT = `
import { followFeed, judge, once, openClient, pause, scenarioOptions, signIn, target, wallets, withClient } from './breakwater/scenarios/kit.ts'
import { control } from './breakwater/scenarios/lib/world/control.ts'

const RULES = ${JSON.stringify(RULES)}
export const options = scenarioOptions({
  rules: Object.fromEntries(RULES.map((rule) => [rule, 'it does'])),
  scenarios: { ...once('main') },
})

const SWAPS = { method: 'GET', path: '/swaps', query: { limit: '1' } }
const MINUTES_16_MS = 16 * 60 * 1000

async function until(done) {
  for (let tries = 0; tries < 400 && !done(); tries++) await pause(50)
  return done()
}

export function main() {
  return judge(RULES, (verdict) => withClient(target, { wallet: wallets[0] }, async (client) => {
    const notices = []
    const states = []
    const count = (reason) => notices.filter((one) => one === reason).length
    const feed = followFeed(client, {
      rooms: ['pool_launches', 'protocol_config'],
      async refetch(reasons) {
        await client.send(SWAPS)
        notices.push(...reasons)
      },
      onConfig: (state) => states.push(state.status),
    })
    await until(() => count('connected') === 1)

    await control(target, '/gateway/restart')
    verdict.that('own.restart.comes-back', await until(() => count('reconnected') === 1), notices.join())

    await control(target, '/clock/advance', { ms: 61_000 })
    verdict.that('own.ticket.comes-back', await until(() => count('reconnected') === 2), notices.join())

    const { snapshot } = await control(target, '/snapshot')
    await control(target, '/revert', { snapshot })
    verdict.that('own.resync.reads-again', await until(() => count('resync_required') === 1), notices.join())

    const { revision } = await control(target, '/revision', { scope: 'fee_tiers', key: '3000' })
    const hasRead = await until(() => states.length > 0 && feed.announced() >= BigInt(revision))
    verdict.that('own.revision.reads-state', hasRead, states.join())

    await control(target, '/clock/advance', { ms: MINUTES_16_MS })
    const { status } = await client.send(SWAPS)
    verdict.that('own.401.refreshes', status === 200, String(status))

    const session = await signIn(target, wallets[1])
    const tabs = [await openClient(target, { session }), await openClient(target, { session })]
    await control(target, '/clock/advance', { ms: MINUTES_16_MS })
    const both = (await Promise.all(tabs.map((tab) => tab.send(SWAPS)))).map((reply) => reply.status)
    verdict.that('own.409.both-served', both.every((one) => one === 200), both.join())
    await tabs[0].leave()

    const strike = (fault) => control(target, '/faults', { description: 'of a test', faults: [fault] })
    const where = { routes: ['GET /swaps'] }
    await strike({ fault: 'http-429', where, limit: { mode: 'fixed', retryAfterSeconds: 2 }, when: { times: 1 } })
    const startedMs = Date.now()
    // Sent after the first was rate limited: it waits as well.
    const first = client.send(SWAPS)
    await pause(500)
    const replies = await Promise.all([first, client.send({ method: 'GET', path: '/tokens' })])
    const tookMs = Date.now() - startedMs
    verdict.that('own.429.waits', tookMs >= 2000 && replies.every((reply) => reply.status === 200), tookMs + ' ms')

    await strike({ fault: 'http-error', where, status: 503, when: { times: 2 } })
    const tried = await client.send(SWAPS)
    verdict.that('own.503.tries-again', tried.status === 200, String(tried.status))
    await control(target, '/faults/clear')
  }))
}
`

test('survives restarts, expiries, resyncs, 401, 409, 429 and 503', {
  timeout: RUN_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile, control } = await givenStub(cwd)
  writeFileSync(join(cwd, 's.k6.ts'), SCRIPT)
  const profile = writeProfile()
  const { stderr } = await runCommandLine(['run', 's.k6.ts', '--target', profile, '--output', 'run'], {
    cwd,
    env: { ...process.env, BREAKWATER_CONTROL_TOKEN: stub.controlToken },
  })
  expect(stderr).not.toContain('k6 wrote errors')
  const { rules } = JSON.parse(readFileSync(join(cwd, 'run', 'report.json'), 'utf8')) as {
    rules: { id: string; verdict: string; observed: string }[]
  }
  expect(rules.map(({ id, verdict, observed }) => [id, verdict, observed])).toEqual(
    [...RULES].sort().map((rule) => [rule, 'pass', expect.anything()]),
  )
  // One of the two tabs lost the race, and all sockets are closed.
  const { entries } = await control('/journal?limit=1000')
  const refreshes = (entries as { path?: string; route?: string; status?: number }[]).filter(
    ({ path, route }) => (path ?? route) === '/auth/refresh',
  )
  expect(refreshes.map(({ status }) => status)).toContain(409)
  expect(await control('/sockets')).toEqual({ sockets: [] })
})

test('the long-lived client of docs/guides/custom-scenarios.md runs unchanged', {
  timeout: RUN_MS_MAX,
}, async () => {
  const cwd = temporaryFolder()
  const page = readFileSync(projectPath('docs/guides/custom-scenarios.md'), 'utf8')
  const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const example = examples.find((text) => text.includes('withClient')) ?? ''
  writeFileSync(join(cwd, 's.k6.ts'), example)
  const { exitCode, stderr } = await runCommandLine(['run', 's.k6.ts', '--output', 'run'], { cwd })
  expect(stderr).not.toContain('k6 wrote errors')
  expect(exitCode).toBe(0)
})

/** A deployment, two rate limits, and then lost events that the feed announces on an open socket. */
const PLAN = {
  description: 'what befalls a client that stays',
  faults: [
    { fault: 'ws-close', when: { afterMs: 3000 } },
    {
      fault: 'http-429',
      limit: { mode: 'burst', lastsMs: 2000 },
      per: 'client',
      when: { every: 12, times: 2 },
    },
    { fault: 'ws-drop', resync: true, when: { afterMs: 6000, times: 3 } },
  ],
}

const LIVES = `
import { followFeed, judge, once, pause, pickRows, scenarioOptions, target, wallets, withClient } from './breakwater/scenarios/kit.ts'
import { control } from './breakwater/scenarios/lib/world/control.ts'

export const options = scenarioOptions({
  rules: { 'own.client.lives': 'it comes through' },
  scenarios: { ...once('main') },
})

export function main() {
  return judge(['own.client.lives'], (verdict) => withClient(target, { wallet: wallets[0] }, async (client) => {
    const notices = new Set()
    const read = (path, route = path) => client.send({ method: 'GET', path, route })
    const keys = pickRows((await read('/pools')).json, 'data').slice(0, 4).map((pool) => pool.key)
    followFeed(client, {
      rooms: ['pool_launches', 'protocol_config', 'balances:' + client.address, ...keys.map((key) => 'pool_stats:' + key)],
      renewAfterMs: 4000,
      async refetch(reasons) {
        await Promise.all([read('/pools'), read('/protocol/state'), read(target.profile.choices.balancesPath)])
        for (const key of keys) await read('/pools/' + encodeURIComponent(key) + '/stats', '/pools/{key}/stats')
        for (const reason of reasons) notices.add(reason)
      },
    })
    const plan = ${JSON.stringify(PLAN)}
    while (!notices.has('connected')) await pause(50)
    await control(target, '/faults', plan)
    // Small steps leave the client time to act, until rules with a deadline of 30 s are judged.
    for (let step = 0; step < 16; step++) {
      await pause(700)
      await control(target, '/clock/advance', { ms: 3000 })
      await read('/swaps')
    }
    const cameThrough = notices.has('reconnected') && notices.has('resync_required')
    verdict.that('own.client.lives', cameThrough, [...notices].join())
  }))
}
`

test('the observer has no findings', { timeout: RUN_MS_MAX }, async () => {
  const cwd = temporaryFolder()
  const { stub, writeProfile, control } = await givenStub(cwd)
  writeFileSync(join(cwd, 's.k6.ts'), LIVES)
  const profile = writeProfile()
  const { stdout, stderr } = await runCommandLine(
    ['run', 's.k6.ts', '--target', profile, '--output', 'run'],
    {
      cwd,
      env: { ...process.env, BREAKWATER_CONTROL_TOKEN: stub.controlToken },
    },
  )
  expect(stderr).not.toContain('k6 wrote errors')
  expect(stdout).toContain('1 of 1 rules judged and passed')
  const { findings, duties } = await control('/findings?limit=100')
  expect(findings).toEqual([])
  const atStake = Object.entries(duties as Record<string, DutyCounts>).flatMap(([rule, counts]) =>
    judgeDuty(counts) === 'pass' ? [rule] : [],
  )
  expect(atStake).toEqual(
    expect.arrayContaining([
      'client.429.waits',
      'client.reconnect.refetches',
      'client.reconnect.resubscribes',
      'client.reconnect.synchronizes',
      'client.resync.refetches',
      'client.ticket.renewed',
    ]),
  )
})
