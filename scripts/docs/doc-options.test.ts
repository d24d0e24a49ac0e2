import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../cli/build-program.ts'
import { NO_TERMINAL } from '../io.ts'
import { openIo } from '../progress/open-io.ts'
import { docPages } from './doc-pages.ts'
import { shCommands } from './sh-commands.ts'
import { breakwaterArguments } from './shell-words.ts'

/** A command line that is only read: none of its commands does anything. */
function readOnly(): Command {
  const io = openIo({
    argv: [],
    env: {},
    cwd: '.',
    stdout: () => {},
    stderr: () => {},
    terminal: NO_TERMINAL,
    interrupted: new AbortController().signal,
  })
  const program = buildProgram(io, () => {})
  for (const command of allCommands(program)) if (command !== program) command.action(() => {})
  return program
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)]
}

const pages = docPages()
const lines = [...new Set(pages.flatMap(({ text }) => shCommands(text)))]

test.each(lines.filter((line) => breakwaterArguments(line) !== undefined))(
  'the command line takes: %s',
  async (line) => {
    await readOnly().parseAsync(breakwaterArguments(line) ?? [], { from: 'user' })
  },
)

/** Options of other programs that pages speak of, and the one that commander adds to each command by itself. */
const OF_OTHERS = new Set(['--web.enable-remote-write-receiver', '--help'])

const options = new Set(
  allCommands(readOnly()).flatMap((command) => command.options.map(({ long }) => long ?? '')),
)

test.each(pages)('$path: each option that it names is one', ({ text }) => {
  const named = [...text.matchAll(/`[^`\n]*`/g)].flatMap(
    ([code]) => code.match(/(?<![\w-])--[a-z][\w.-]*/g) ?? [],
  )
  expect(named.filter((name) => !options.has(name) && !OF_OTHERS.has(name))).toEqual([])
})
