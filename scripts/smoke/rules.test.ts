import { expect, test } from 'vitest'
import { serverRules } from '../../contract/rule.ts'
import { matchRules } from './plan.ts'

const rules = serverRules([
  ['ws.rooms.at-most-32', '', '', '', 'how'],
  ['ws.auth.ticket', '', '', '', 'how'],
  ['auth.logout.current-only', '', '', '', 'how'],
])

test.each([
  ['*', ['ws.rooms.at-most-32', 'ws.auth.ticket', 'auth.logout.current-only']],
  ['ws.*', ['ws.rooms.at-most-32', 'ws.auth.ticket']],
  ['*.auth.*', ['ws.auth.ticket']],
  ['ws.auth.ticket, auth.*', ['ws.auth.ticket', 'auth.logout.current-only']],
])('%s selects %j', (glob, selected) => {
  expect(matchRules(glob, rules)).toEqual(selected)
})

test.each(['nothing.*', 'ws.rooms.at-most-3.', 'ws', ''])('rejects %j, which matches no rule', (glob) => {
  expect(() => matchRules(glob, rules)).toThrow(`--rules: no rule matches "${glob}"`)
})
