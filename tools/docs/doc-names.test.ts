import { expect, test } from 'vitest'
import { CLIENT_RULES, UNOBSERVABLE_DUTIES } from '../../contract/client-rules.ts'
import { matchesGlob } from '../../contract/match-glob.ts'
import { RULES } from '../../contract/rules.ts'
import { acceptingProgram, allCommands } from '../test/run-command-line.ts'
import { docCommands, docPages } from './at-length.ts'
import { breakwaterArguments } from './run-page.ts'

const pages = docPages()
const lines = [...new Set(pages.flatMap(docCommands).map(({ line }) => line))]

test.each(lines.filter((line) => breakwaterArguments(line) !== undefined))(
  'the command line accepts: %s',
  async (line) => {
    await acceptingProgram().parseAsync(breakwaterArguments(line) ?? [], { from: 'user' })
  },
)

/** Options of other programs and of `npm run` scripts that pages name, and commander's own. */
const OF_OTHERS = new Set([
  '--web.enable-remote-write-receiver',
  '--help',
  '--out',
  '--server-side',
  '--cacert',
  '--only',
  '--explore-minutes',
  '--ignore-scripts',
  '--long',
  '--gate',
  '--record',
  '--case',
  '--cases',
  '--test',
  '--experimental-vm-modules',
  '--update',
  '--sign-in',
  '--session',
])

const options = new Set(
  allCommands(acceptingProgram()).flatMap((command) => command.options.map(({ long }) => long ?? '')),
)

test.each(pages)('$path: each option on the page exists', ({ text }) => {
  const named = [...text.matchAll(/`[^`\n]*`/g)].flatMap(
    ([code]) => code.match(/(?<![\w-])--[a-z][\w.-]*/g) ?? [],
  )
  expect(named.filter((name) => !options.has(name) && !OF_OTHERS.has(name))).toEqual([])
})

const ids = [...RULES, ...CLIENT_RULES, ...UNOBSERVABLE_DUTIES].map(({ id }) => id)
const groups = new Set(ids.map((id) => id.slice(0, id.indexOf('.'))))

test.each(docPages())('$path: each rule on the page exists', ({ text }) => {
  const named = [...text.matchAll(/[`'"]([a-z-]+)\.([a-z0-9*-]+)\.([a-z0-9*-]+)[`'"]/g)]
    .filter(([, group = '']) => groups.has(group))
    .map(([quoted]) => quoted.slice(1, -1))
  expect(named.filter((name) => !ids.some((id) => matchesGlob(name, id)))).toEqual([])
})
