import { expect, test } from 'vitest'
import { listHistoryRules } from './history.ts'
import { HISTORY_RULES } from './rules/history.ts'
import { ruleById } from './rules.ts'

const client = (
  credential: 'none' | 'session',
  ...requests: ('tokens' | 'session-cycle' | 'token-cycle' | 'feed-cycle' | 'faucet-claims')[]
) => ({ credential, feed: null, steps: [{ weight: 1, requests }] }) as never // as: the rules depend on nothing else

const follower = (credential: 'api-token' | 'session', rooms: object) =>
  ({ credential, feed: { rooms: { balances: 0, protocol_config: 0, ...rooms } }, steps: [] }) as never // as: as above

test('the rules of a load are those that its clients can break', () => {
  const list = (...clients: never[]) => listHistoryRules({ clients })
  expect(list(client('none', 'tokens'))).toEqual([])
  expect(list(client('none', 'tokens'), client('session', 'tokens'))).toEqual([
    'history.session.lasts',
    'history.session.one-winner',
  ])
  const all = client('session', 'token-cycle', 'session-cycle', 'feed-cycle', 'faucet-claims')
  expect(list(all).sort()).toEqual(HISTORY_RULES.map(({ id }) => id).sort())
})

test('a client of the feed can break the rules of its rooms', () => {
  const list = (client: never) =>
    listHistoryRules({ clients: [client] }).filter((id) => !id.startsWith('history.session.'))
  const events = ['history.feed.at-most-once', 'history.feed.joined-rooms']
  expect(list(follower('api-token', { protocol_config: 1 }))).toEqual([
    ...events,
    'history.protocol.minimum-revision',
  ])
  expect(list(follower('session', { balances: 1 }))).toEqual(events)
})

test('no probe judges a rule of histories', () => {
  expect(HISTORY_RULES.filter(({ id }) => ruleById(id) !== undefined)).toEqual([])
})
