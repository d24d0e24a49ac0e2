import { expect, test } from 'vitest'
import { type ActionInputs, actionArgv } from './run-action.ts'

const argv = (inputs: Partial<ActionInputs>) =>
  actionArgv({ command: 'smoke', target: '', waivers: '', arguments: '', ...inputs }, 'runs/1')

test.each([
  ['a command', {}, ['smoke', '--output=runs/1']],
  [
    'target and waivers, which may look like options',
    { target: '--strict', waivers: 'a b.json' },
    ['smoke', '--target=--strict', '--waivers=a b.json', '--output=runs/1'],
  ],
  [
    'an argument a line, with blanks and quotes',
    { arguments: "--rules\n  ws.*  \r\n\n$(id) 'x' `y`;\n" },
    ['smoke', '--output=runs/1', '--rules', 'ws.*', "$(id) 'x' `y`;"],
  ],
  ['a load in a cluster', { command: 'k8s', target: 'x' }, ['k8s', 'run', '--target=x', '--output=runs/1']],
  ['a command of two words', { command: 'repro', arguments: 'x' }, ['repro', 'run', '--output=runs/1', 'x']],
] satisfies [string, Partial<ActionInputs>, string[]][])('%s', (_, inputs, expected) => {
  expect(argv(inputs)).toEqual(expected)
})

test.each([
  ['a command that gives no verdict', { command: 'stub' }, 'command: unknown command "stub"'],
  ['one that is everywhere', { command: 'toString' }, 'command: unknown command "toString"'],
  [
    'a target that the command takes none of',
    { command: 'compare', target: 'x' },
    'target: compare does not take this input',
  ],
  ['waivers likewise', { command: 'load', waivers: 'x' }, 'waivers: load does not take this input'],
  ['a run folder of its own', { arguments: '--output=x' }, 'arguments: --output=x is set by the action'],
  ['a short -o', { arguments: '-o' }, 'arguments: -o is set by the action'],
  ['JSON', { arguments: '--json' }, 'arguments: --json is set by the action'],
] satisfies [string, Partial<ActionInputs>, string][])('refuses %s', (_, inputs, message) => {
  expect(() => argv(inputs)).toThrow(message)
})
