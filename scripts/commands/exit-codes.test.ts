import { expect, test } from 'vitest'
import { commandTree, withInner } from './command-tree.ts'
import { COMMAND_EXITS } from './exit-codes.ts'

/** Those that only stand before others' names. */
const OUTER = ['', 'faults', 'k8s', 'runs']

test('tells what each command can end with', () => {
  const commands = withInner(commandTree()).map(({ path }) => path.join(' '))
  expect(Object.keys(COMMAND_EXITS).sort()).toEqual(commands.filter((name) => !OUTER.includes(name)).sort())
})
