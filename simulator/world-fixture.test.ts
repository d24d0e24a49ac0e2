import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { BreakwaterError } from '../contract/breakwater-error.ts'
import { loadWorldFixture, worldNames } from './world-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'breakwater-world-'))
const file = join(folder, 'mine.json')
const DEVICE = join(folder, 'device.json')
symlinkSync('/dev/zero', DEVICE)
afterAll(() => rmSync(folder, { recursive: true }))

const tiny = JSON.parse(readFileSync(resolve(import.meta.dirname, '../fixtures/worlds/tiny.json'), 'utf8'))

test.each(worldNames())('the world %s is valid', (name) => {
  expect(loadWorldFixture(name).description).not.toBe('')
})

test('an unknown world suggests the nearest ones', () => {
  const error = catchError(() => loadWorldFixture('nowhere'))
  expect(error).toMatchObject({
    message: 'unknown world "nowhere"',
    hint: 'Did you mean churn, hostile or wide? All are in fixtures/worlds. The name of your own file must end in .json or .jsonc.',
    exitCode: 2,
  })
})

test.each([
  { name: 'nowhere.json', reason: 'there is no such file or folder' },
  { name: DEVICE, reason: 'it is a pipe or a device, not a file' },
])('a file that cannot be read has the reason: $name', ({ name, reason }) => {
  expect(catchError(() => loadWorldFixture(name))).toMatchObject({
    message: `${name}: cannot be read: ${reason}`,
    hint: 'Expected a world such as those in fixtures/worlds.',
    exitCode: 2,
  })
})

test('accepts a custom file', () => {
  writeFileSync(file, JSON.stringify(tiny))
  expect(loadWorldFixture(file)).toEqual(loadWorldFixture('tiny'))
})

test('lists every problem of a file, each with its path and what was expected', () => {
  const { traders: _, ...rest } = tiny
  const wrong = {
    ...rest,
    startAt: 'yesterday',
    blockIntervalMs: 0,
    multiHopShare: 1.5,
    tokens: { ...tiny.tokens, stable: { ...tiny.tokens.stable, decimals: 'six' } },
    color: 'blue',
  }
  writeFileSync(file, JSON.stringify(wrong))
  const { message, exitCode } = catchError(() => loadWorldFixture(file))
  expect(message.split('\n')).toEqual([
    `${file}: not a valid world:`,
    '  startAt: expected a time in UTC such as 2026-01-05T00:00:00Z',
    '  blockIntervalMs: expected more than 0',
    '  tokens.stable.decimals: expected a number, found a string',
    '  traders: missing; expected a number',
    '  multiHopShare: expected at most 1',
    '  color: unknown key; did you mean claims, history or tokens?',
  ])
  expect(exitCode).toBe(2)
})

test.each([
  [{ startAt: '1969-12-31T23:59:59Z' }, 'startAt: expected a time from 1970 to 2499'],
  [{ startAt: '9999-12-31T00:00:00Z' }, 'startAt: expected a time from 1970 to 2499'],
  [{ blockIntervalMs: 9e14 }, 'blockIntervalMs: expected at most 86400000'],
  [
    { history: { blocks: 1_000_000, blockIntervalMs: 86_400_000 } },
    'history: expected blocks that end before the year 3000',
  ],
  [{ traderFundsUsd: 1e308 }, 'traderFundsUsd: expected at most 1000000000000'],
])('rejects values that would run forever, or overflow: %j', (wrong, problem) => {
  writeFileSync(file, JSON.stringify({ ...tiny, ...wrong }))
  expect(catchError(() => loadWorldFixture(file)).message).toBe(`${file}: not a valid world:\n  ${problem}`)
})

test('refuses more pools between spokes than there are pairs', () => {
  writeFileSync(file, JSON.stringify({ ...tiny, crossPools: 22 }))
  expect(catchError(() => loadWorldFixture(file)).message).toBe(
    `${file}: not a valid world:\n  crossPools: expected at most 21, the number of pairs of 7 spokes`,
  )
})

test('rejects violated rules across fields, all at once', () => {
  const [tier] = tiny.feeTiers
  writeFileSync(file, JSON.stringify({ ...tiny, feeTiers: [tier, tier], secondPools: 20 }))
  expect(
    catchError(() => loadWorldFixture(file))
      .message.split('\n')
      .slice(1),
  ).toEqual([
    '  secondPools: expected at most 19, the number of pairs with a hub or in the tail; 0 with one fee tier',
    '  feeTiers: expected each feePips once',
  ])
})

test('rules across fields and single fields are reported in one list, but no rule that reads an invalid field', () => {
  const wrong = {
    ...tiny,
    traders: 0,
    crossPools: 99,
    tokens: { ...tiny.tokens, decimals: [6, 25] },
    market: { ...tiny.market, beta: { min: 2, max: 1 }, firstPriceUsd: { min: 5, max: 1 } },
    governance: {
      ...tiny.governance,
      weights: { ...tiny.governance.weights, announceTier: 0, listToken: 0 },
    },
    secondPools: 99,
  }
  const problems = (world: object) => {
    writeFileSync(file, JSON.stringify(world))
    return catchError(() => loadWorldFixture(file))
      .message.split('\n')
      .slice(1)
  }
  const others = [
    '  market.beta: expected min to be at most max',
    '  market.firstPriceUsd: expected min to be at most max',
    '  governance.weights: expected at least one above 0',
  ]
  expect(problems(wrong)).toEqual([
    '  tokens.decimals[1]: expected at most 24',
    '  traders: expected more than 0',
    ...others,
  ])
  const { tokens } = tiny
  expect(problems({ ...wrong, tokens: { ...tokens, spokes: 0 } })).toEqual([
    '  traders: expected more than 0',
    '  tokens.spokes: expected at least 1, for the faucet’s third token',
    '  crossPools: expected at most 0, the number of pairs of 0 spokes',
    '  secondPools: expected at most 5, the number of pairs with a hub or in the tail; 0 with one fee tier',
    ...others,
  ])
})

test.each([['[]'], ['null'], ['7'], ['{}']])('refuses %s, without a stack trace', (text) => {
  writeFileSync(file, text)
  expect(catchError(() => loadWorldFixture(file)).message).toMatch(/: not a valid world:\n {2}/)
})

test('refuses text that is not JSON', () => {
  writeFileSync(file, '{ "description": ')
  expect(catchError(() => loadWorldFixture(file)).message).toContain(`${file}: not JSON: `)
})

function catchError(run: () => unknown): BreakwaterError {
  try {
    run()
  } catch (error) {
    if (error instanceof BreakwaterError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
