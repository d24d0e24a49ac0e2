import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HISTORY_RULES } from '../../contract/rules/history.ts'
import { RULES } from '../../contract/rules.ts'
import type { Auth } from '../auth/auth.ts'
import { CHOICE_SETS } from '../choices/choices.ts'
import { createTestBed } from '../exchange/test-bed.ts'
import type { AuthTools, Deviation } from './deviation.ts'
import {
  combineDeviations,
  findDeviation,
  LOAD_MUTANTS,
  MUTANTS,
  mutantByName,
  PROBED_MUTANTS,
  SEQUENCE_MUTANTS,
} from './mutants.ts'

const TABLES = join(import.meta.dirname, 'tables')

test('each mutant breaks rules that exist', () => {
  const known = [...RULES, ...HISTORY_RULES].map(({ id }) => id)
  expect(MUTANTS.flatMap(({ rules }) => rules).filter((rule) => !known.includes(rule))).toEqual([])
})

test('each rule is broken by a mutant, which proves that its probe can fail', () => {
  const broken = new Set<string>(PROBED_MUTANTS.flatMap(({ rules }) => rules))
  expect(RULES.filter(({ id }) => !broken.has(id))).toEqual([])
})

test('a test takes the sequence of each mutant that needs one', () => {
  const files = readdirSync(TABLES).filter((name) => /^sequence-.*\.test\.ts$/.test(name))
  const texts = files.map((name) => readFileSync(join(TABLES, name), 'utf8')).join()
  expect(SEQUENCE_MUTANTS.filter(({ name }) => !texts.includes(`mutant: '${name}'`))).toEqual([])
  expect(
    SEQUENCE_MUTANTS.filter(({ name, states }) => !name.startsWith('sequence-') || states === ''),
  ).toEqual([])
})

test('each rule of histories is broken by a mutant that needs a load, and by no other', () => {
  const broken = new Set(LOAD_MUTANTS.flatMap(({ rules }) => rules))
  expect([...broken].sort()).toEqual(HISTORY_RULES.map(({ id }) => id).sort())
})

test('finds a mutant by its name', () => {
  expect(mutantByName('race-logout-lost')?.rules).toEqual(['history.session.stays-ended'])
  expect(mutantByName('ws-33-rooms')?.rules).toEqual(['ws.rooms.at-most-32'])
  expect(mutantByName('nothing')).toBeUndefined()
})

test('no two tables have a mutant of the same name', async () => {
  const files = readdirSync(TABLES).filter((name) => /^[a-z-]+\.ts$/.test(name))
  const modules: object[] = await Promise.all(files.map((name) => import(`./tables/${name}`)))
  const tables = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, table]) =>
      /_(MUTANTS|SYMPTOMS)$/.test(name) && !Array.isArray(table) ? [table] : [],
    ),
  )
  const names = tables.flatMap((table) => Object.keys(table))
  expect(names.toSorted()).toEqual(MUTANTS.map(({ name }) => name as string).toSorted())
})

test.each(Object.values(CHOICE_SETS))(
  'the routes that mutants deviate in exist under $name',
  async (choices) => {
    const { app } = await createTestBed({ choices })
    await app.ready()
    const deviations = MUTANTS.flatMap(({ name }) => findDeviation(name)?.rest ?? [])
    const routes = new Set(deviations.flatMap(({ routes }) => routes?.(choices) ?? []))
    expect([...routes].filter((route) => !app.routeNames.includes(route))).toEqual([])
  },
)

test('joined names are one mutant with all rules and all changes', () => {
  const joined = mutantByName('faucet-unlimited+paging-swaps-1000-served')
  const [one, other] = [mutantByName('faucet-unlimited'), mutantByName('paging-swaps-1000-served')]
  expect(joined).toEqual({
    name: 'faucet-unlimited+paging-swaps-1000-served',
    breaks: `${one?.breaks}; ${other?.breaks}`,
    rules: [...(one?.rules ?? []), ...(other?.rules ?? [])],
    sometimes: [],
    detectedBy: 'probes',
  })
})

test.each(['faucet-unlimited+nothing', '+faucet-unlimited', 'faucet-unlimited+', '+'])(
  '%s is not a mutant',
  (name) => {
    expect(mutantByName(name)).toBeUndefined()
  },
)

test('each change of the credentials is made to those with the change before', () => {
  const adding = (text: string): Deviation => ({
    auth: ({ issueApiToken }) => ({ issueApiToken: (options) => `${issueApiToken(options)} ${text}` }),
  })
  const base = { issueApiToken: () => 'secret' } as Partial<Auth> as Auth // as: the others are not called
  const tools = {} as AuthTools // as: not used here
  const { auth } = combineDeviations([adding('a'), adding('b')])
  expect(auth?.(base, tools).issueApiToken?.({ address: '', name: '' })).toBe('secret a b')
})

test('limits and routes of all apply', () => {
  const one: Deviation = { limits: { ticketSeconds: 1 }, rest: [{ needs: {} }] }
  const other: Deviation = { limits: { accessSessionSeconds: 2 }, rest: [{}] }
  expect(combineDeviations([one, other, {}])).toEqual({
    limits: { ticketSeconds: 1, accessSessionSeconds: 2 },
    rest: [{ needs: {} }, {}],
  })
})

test('two that replace the sockets of the feed are refused', () => {
  const deviation: Deviation = { socket: () => ({}) }
  expect(() => combineDeviations([deviation, deviation])).toThrow(
    'two of the mutants change the same part of the stub (socket)',
  )
})
