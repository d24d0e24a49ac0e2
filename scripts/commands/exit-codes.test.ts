import { expect, test } from 'vitest'
import { commandTree, withInner } from './command-tree.ts'
import { COMMAND_EXITS } from './exit-codes.ts'

/** Need a subcommand. */
const GROUPS = ['', 'faults', 'k8s', 'runs']

test('describes the exit codes of each command', () => {
  const commands = withInner(commandTree()).map(({ path }) => path.join(' '))
  expect(Object.keys(COMMAND_EXITS).sort()).toEqual(commands.filter((name) => !GROUPS.includes(name)).sort())
})
