import { expect, test } from 'vitest'
import { ruleCommand } from './rule-command.ts'

const ROOMS = ['ws.rooms.32-deliver', 'ws.rooms.at-most-32']
const SESSION = ['auth.session.lives-15-min']
const alone = 'breakwater smoke --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load'

test.each([
  ['breakwater smoke', alone],
  ['breakwater smoke --mix market --slo strict --out here --strict --json', alone],
  [
    "breakwater smoke --rules 'paging.*' --seed 9 --choices odd --mutant ws-33-rooms",
    'breakwater smoke --seed 9 --choices odd --mutant ws-33-rooms --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  ],
  [
    "breakwater smoke --target='my '\\''own'\\'' target.json' --no-load",
    "breakwater smoke --target='my '\\''own'\\'' target.json' --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load",
  ],
  [
    "breakwater smoke --target 'a b.json' --confirm a.test",
    "breakwater smoke --target 'a b.json' --confirm a.test --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load",
  ],
  ['', alone],
  ['breakwater smoke --seed', alone],
])('of %s keeps what was judged, and nothing else', (command, expected) => {
  expect(ruleCommand(command, ROOMS)).toBe(expected)
})

test('what takes a quarter of an hour asks for it, where the clock cannot be moved', () => {
  expect(ruleCommand('breakwater smoke --target x.json', SESSION)).toBe(
    'breakwater smoke --target x.json --rules auth.session.lives-15-min --no-load --include-slow',
  )
  expect(ruleCommand('breakwater smoke', SESSION)).not.toContain('--include-slow')
})

test('an open quote, as of a damaged run, ends the words before it', () => {
  expect(ruleCommand("breakwater smoke --seed 3 --target 'never closed", ROOMS)).toBe(
    'breakwater smoke --seed 3 --target never --rules ws.rooms.32-deliver,ws.rooms.at-most-32 --no-load',
  )
})
