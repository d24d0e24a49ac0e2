import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { acceptingProgram, runCommandLine } from '../../tools/test/run-command-line.ts'
import { projectPath } from '../project.ts'
import { COMMAND_HELP } from './command-help.ts'
import { commandTree, withInner } from './command-tree.ts'

test('every command has two examples and a page', () => {
  const commands = withInner(commandTree()).map(({ path }) => path.join(' '))
  expect(Object.keys(COMMAND_HELP).sort()).toEqual(commands.filter((name) => name !== 'help').sort())
  for (const [name, { examples, page }] of Object.entries(COMMAND_HELP)) {
    expect(examples.length, name).toBeGreaterThanOrEqual(2)
    expect(existsSync(projectPath(`docs/${page}`)), page).toBe(true)
  }
})

test.each(Object.values(COMMAND_HELP).flatMap(({ examples }) => examples))(
  'the command line accepts `breakwater %s`',
  async (line) => {
    const [command = ''] = line.split(/ [|>] /)
    await acceptingProgram().parseAsync(command.replaceAll("'", '').split(' '), { from: 'user' })
  },
)

test('help groups commands and options, and ends with examples', async () => {
  const { stdout } = await runCommandLine(['--help'])
  expect(stdout.match(/^[A-Z][a-z]+:/gm)).toEqual([
    'Usage:',
    'Options:',
    'Test:',
    'Simulate:',
    'Results:',
    'Setup:',
    'Cluster:',
    'Examples:',
    'Docs:',
  ])
  const load = await runCommandLine(['load', '--help'])
  expect(load.stdout).toMatch(/^Usage: breakwater load --rate <rate> \[options\]\n/)
  expect(load.stdout).toMatch(
    /^Target:[\s\S]*^Load:[\s\S]*^Criteria:[\s\S]*^Stub:[\s\S]*^Output:[\s\S]*^Examples:/m,
  )
  expect(load.stdout).toMatch(/ {2}--rate <rate> +Start this many iterations per second \(required\)\n/)
})
