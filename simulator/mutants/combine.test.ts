import { expect, test } from 'vitest'
import type { Auth } from '../auth/auth.ts'
import { combineDeviations } from './combine.ts'
import type { AuthTools, Deviation } from './deviation.ts'
import { mutantByName } from './mutants.ts'

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
