import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectPath } from '../scripts/project.ts'
import { parseToolArguments } from './tool-arguments.ts'

const GIVEN = {
  options: {
    choices: { type: 'string', names: ['left', 'right'] },
    jobs: { type: 'string', isNumber: true, default: '3' },
    only: { type: 'string', multiple: true },
    long: { type: 'boolean' },
  },
  words: ['amm', 'rest'],
} as const

test('parses options, defaults and words', () => {
  const { values, positionals } = parseToolArguments(
    ['--only', 'a*', '--long', 'amm', '--choices=right'],
    GIVEN,
  )
  expect(values).toEqual({ only: ['a*'], long: true, choices: 'right', jobs: '3' })
  expect(positionals).toEqual(['amm'])
})

test.each([
  [['--helps'], 'unknown option --helps', 'Expected --choices, --jobs, --only or --long.'],
  [['-x'], 'unknown option -x', 'Expected --choices, --jobs, --only or --long.'],
  [['--toString'], 'unknown option --toString', 'Expected --choices, --jobs, --only or --long.'],
  [['--choices', 'strange'], '--choices: invalid value "strange"', 'Expected left or right.'],
  [['--jobs', 'two'], '--jobs: invalid value "two"', 'Expected a whole number.'],
  [['--only'], '--only: missing value', undefined],
  [['--only', '--long'], '--only: missing value', undefined],
  [['--long=yes'], '--long takes no value', undefined],
  [['am'], 'unknown name "am"', 'Expected amm or rest. With --help it lists all.'],
])('rejects %j', (args, message, hint) => {
  expect(() => parseToolArguments(args, GIVEN)).toThrow(
    expect.objectContaining({ message, hint, exitCode: 2 }),
  )
})

test('a tool without options rejects any', () => {
  expect(() => parseToolArguments(['--x'], { options: {} })).toThrow('unknown option --x')
  expect(() => parseToolArguments(['x'], { options: {} })).toThrow('unexpected argument "x"')
})

const TOOLS = ['generate', 'house', 'fuzz', 'mutants']

test.each(TOOLS)('npm run %s prints one message for an unknown option', (tool) => {
  const args = ['--import', './tools/typescript.mjs', `tools/${tool}.ts`]
  const cwd = projectPath('.')
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--nope'], {
    cwd,
    encoding: 'utf8',
  })
  expect(stderr).toMatch(new RegExp(`^${tool}: unknown option --nope\\n {2}[^\\n]+\\n$`))
  expect([status, stdout]).toEqual([2, ''])
  expect(execFileSync(process.execPath, [...args, '--help'], { cwd, encoding: 'utf8' })).toMatch(
    new RegExp(`^npm run ${tool} takes `),
  )
})
