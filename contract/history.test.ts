import { expect, test } from 'vitest'
import { listHistoryRules } from './history.ts'
import { HISTORY_RULES } from './rules/history.ts'
import { ruleById } from './rules.ts'

const client = (
  credential: 'none' | 'session',
  ...requests: ('tokens' | 'session-cycle' | 'token-cycle' | 'faucet-claims')[]
) => ({ credential, steps: [{ weight: 1, requests }] }) as never // as: the rules depend on nothing else

test('the rules of a load are those that its clients can break', () => {
  const list = (...clients: never[]) => listHistoryRules({ clients })
  expect(list(client('none', 'tokens'))).toEqual([])
  expect(list(client('none', 'tokens'), client('session', 'tokens'))).toEqual([
    'history.session.lasts',
    'history.session.one-winner',
  ])
  expect(list(client('session', 'token-cycle', 'session-cycle', 'faucet-claims')).sort()).toEqual(
    HISTORY_RULES.map(({ id }) => id).sort(),
  )
})

test('no probe judges a rule of histories', () => {
  expect(HISTORY_RULES.filter(({ id }) => ruleById(id) !== undefined)).toEqual([])
})
