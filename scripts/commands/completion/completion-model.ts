import { CLIENT_RULES } from '../../../contract/client-rules.ts'
import { RULES } from '../../../contract/rules.ts'
import { MUTANTS } from '../../../simulator/mutants/mutants.ts'
import { worldNames } from '../../../simulator/world-fixture.ts'
import { faultPlanNames, mixNames, namesIn, stageNames } from '../../given-files.ts'
import { caseNames } from '../../repro/load-case.ts'
import {
  type CommandModel,
  commandTree,
  type OptionModel,
  type WordModel,
  withInner,
} from '../command-tree.ts'

export type CompletedOption = {
  names: readonly string[]
  description: string
  /** Null: it takes no value, or may go without one. */
  value: Source | null
}

/** Candidates after the words of a command. */
export type CompletedCommand = {
  /** `repro run`; empty for `breakwater` itself. */
  path: string
  commands: readonly { name: string; description: string }[]
  options: readonly CompletedOption[]
  /** By position. If `isVariadic`, the last one also applies to all later arguments. */
  arguments: readonly Source[]
  isVariadic: boolean
}

/** Returns outer commands first. */
export function completionModel(): CompletedCommand[] {
  const tree = commandTree()
  return withInner(tree).flatMap((command) => {
    const own = completed(command, tree)
    return [own, ...aliasPaths(command).map((path) => ({ ...own, path }))]
  })
}

/** Aliases with their parent words, so that completion works after them too. */
function aliasPaths({ path, aliases }: CommandModel): string[] {
  return aliases.map((alias) => [...path.slice(0, -1), alias].join(' '))
}

function completed(command: CommandModel, root: CommandModel): CompletedCommand {
  const meant = command.commands.find(({ path }) => path.at(-1) === command.defaultCommand)
  const sources = [command, ...(meant ? [meant] : [])]
  const own = sources.flatMap((each) => each.options.map((option) => completedOption(option, each)))
  const shared = command === root ? [] : root.options.filter(({ names }) => !names.includes('--version'))
  return {
    path: command.path.join(' '),
    commands: command.commands.flatMap(({ path, aliases, description }) =>
      [path.at(-1) ?? '', ...aliases].map((name) => ({ name, description })),
    ),
    options: [...own, ...shared.map((option) => completedOption(option, root)), HELP],
    arguments: sources.flatMap((each) =>
      each.arguments.map((argument) => argumentSource(argument, each, root)),
    ),
    isVariadic: sources.some((each) => each.arguments.some(({ variadic }) => variadic)),
  }
}

const HELP: CompletedOption = {
  names: ['--help', '-h'],
  description: 'Show help for the command',
  value: null,
}

function completedOption(
  { names, description, value }: OptionModel,
  { path }: CommandModel,
): CompletedOption {
  const [long = ''] = names
  const source = value?.required ? findSource(value, [`${path.join(' ')} ${long}`, long]) : null
  return { names, description, value: source }
}

function argumentSource(argument: WordModel, { path }: CommandModel, root: CommandModel): Source {
  if (path.join(' ') === 'help')
    return { words: root.commands.map((each) => each.path.join(' ')), paths: 'none' }
  return findSource(argument, [`${path.join(' ')} <${argument.name}>`])
}

function findSource({ choices }: WordModel, names: readonly string[]): Source {
  if (choices.length > 0) return { words: choices, paths: 'none' }
  const known = names.map((name) => SOURCES[name]).find((source) => source !== undefined)
  return known?.() ?? NOTHING
}

/** Numbers distinct sources; 0 is the empty one. */
export function numberSources(commands: readonly CompletedCommand[]): {
  sources: readonly Source[]
  getNumber: (source: Source) => number
} {
  const all = commands.flatMap(({ options, arguments: list }) => [
    ...options.flatMap(({ value }) => value ?? []),
    ...list,
  ])
  const texts = [...new Set([NOTHING, ...all].map((source) => JSON.stringify(source)))]
  return {
    sources: texts.map((text) => JSON.parse(text)),
    getNumber: (source) => texts.indexOf(JSON.stringify(source)),
  }
}

/** Candidates for a word. */
export type Source = {
  words: readonly string[]
  paths: 'files' | 'folders' | 'none'
}

const NOTHING: Source = { words: [], paths: 'none' }
const FILES: Source = { words: [], paths: 'files' }
const FOLDERS: Source = { words: [], paths: 'folders' }

/** Names of shipped files, or a file of the user. */
const named = (words: readonly string[]): Source => ({ words, paths: 'files' })

/** All rule ids, and a glob for each group of ids with the same first parts. */
const rules = (list: readonly { id: string }[], { parts }: { parts: number }): Source => {
  const ids = list.map(({ id }) => id)
  const groups = ids.map((id) => `${id.split('.').slice(0, parts).join('.')}.*`)
  return { words: [...new Set(groups), ...ids], paths: 'none' }
}

/**
 * Keys are `--option`, `command --option` to override it for one command, or `command <argument>`. Options and arguments with
 * choices need no entry.
 */
export const SOURCES: Readonly<Record<string, () => Source>> = {
  '--world': () => named(worldNames()),
  '--mix': () => named(mixNames()),
  '--slo': () => named(namesIn('fixtures/slos')),
  '--stages': () => named(stageNames()),
  '--faults': () => named(faultPlanNames()),
  'faults apply <plan>': () => named(faultPlanNames()),
  '--mutant': () => ({ words: MUTANTS.map(({ name }) => name), paths: 'none' }),
  '--rules': () => rules(RULES, { parts: 1 }),
  'observe --rules': () => rules(CLIENT_RULES, { parts: 2 }),
  'repro show <case>': () => named(caseNames()),
  'repro run <case>': () => named(caseNames()),
  '--format': () => ({ words: ['html', 'json', 'junit', 'md'], paths: 'none' }),
  ...Object.fromEntries(
    ['--target', '--waivers', '--from-dump', '--profile', '--junit', '--events', '--dump', 'run <file>'].map(
      (name) => [name, () => FILES],
    ),
  ),
  'compare <a>': () => FILES,
  'compare <b>': () => FILES,
  ...Object.fromEntries(
    [
      '--output',
      '--cases',
      '--baseline',
      '--history',
      'repro --run',
      'report <run>',
      'merge <dir>',
      'runs list <dir>',
      'runs prune <dir>',
      'trend <history>',
    ].map((name) => [name, () => FOLDERS]),
  ),
}
