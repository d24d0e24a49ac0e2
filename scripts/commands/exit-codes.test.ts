import { expect, test } from 'vitest'
import { commandTree, withInner } from './command-tree.ts'
import { COMMAND_EXITS } from './exit-codes.ts'

/** Need a subcommand. */
const GROUPS = ['', 'faults', 'k8s', 'runs']

test('describes the exit codes of each command', () => {
  const commands = withInner(commandTree()).map(({ path }) => path.join(' '))
  expect(Object.keys(COMMAND_EXITS).sort()).toEqual(commands.filter((name) => !GROUPS.includes(name)).sort())
})

test('"with `--option`" names an option of the command', () => {
  for (const { path, options } of withInner(commandTree())) {
    const meanings = Object.values(COMMAND_EXITS[path.join(' ')] ?? {}).join('\n')
    const named = [...meanings.matchAll(/\bwith `(--[a-z0-9-]+)/g)].map(([, name]) => name)
    const names: (string | undefined)[] = options.flatMap((option) => option.names)
    expect({ path, unknown: named.filter((name) => !names.includes(name)) }).toEqual({ path, unknown: [] })
  }
})
