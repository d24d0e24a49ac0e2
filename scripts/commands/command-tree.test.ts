import { expect, test } from 'vitest'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { type CommandModel, commandTree, withInner } from './command-tree.ts'

const tree = commandTree()
const named = (name: string): CommandModel | undefined =>
  withInner(tree).find(({ path }) => path.join(' ') === name)
const findOption = (command: string, name: string) =>
  named(command)?.options.find(({ names }) => names.includes(name))

test('has each command once, before its subcommands', () => {
  const paths = withInner(tree).map(({ path }) => path.join(' '))
  expect(paths.slice(0, 4)).toEqual(['', 'smoke', 'load', 'capacity'])
  expect(paths).toContain('repro run')
  expect(new Set(paths).size).toBe(paths.length)
})

test('leaves out hidden commands', () => {
  expect(named('k8s')?.commands.map(({ path }) => path.at(-1))).toEqual(['run', 'collect', 'render', 'stub'])
})

test('describes the names, value, choices and default of an option', () => {
  expect(findOption('smoke', '--choices')).toEqual({
    flags: '--choices <set>',
    names: ['--choices'],
    description: 'Select how the stub fills in what the specification leaves open',
    value: { name: 'set', required: true, variadic: false, choices: Object.keys(CHOICE_SETS) },
    mandatory: false,
    default: 'default',
    conflicts: ['--target'],
  })
  expect(findOption('', '--version')?.names).toEqual(['--version', '-V'])
  expect(findOption('smoke', '--no-load')).toMatchObject({ value: null, default: undefined })
  expect(findOption('repro', '--save')?.value).toMatchObject({ name: 'name', required: false })
  expect(findOption('load', '--rate')?.mandatory).toBe(true)
  expect(findOption('load', '-o')?.names).toEqual(['--output', '-o'])
  expect(findOption('load', '--duration')?.default).toBe('30s')
})

test('lists conflicts on both options', () => {
  expect(findOption('chain', '--from-dump')?.conflicts).toEqual(['--world', '--seed', '--check'])
  expect(findOption('chain', '--check')?.conflicts).toEqual(['--from-dump'])
})

test('describes arguments, and the default subcommand', () => {
  expect(named('merge')?.arguments).toMatchObject([{ name: 'dir', required: true, variadic: true }])
  expect(named('runs')?.defaultCommand).toBe('list')
  expect(named('faults')?.defaultCommand).toBeNull()
})
