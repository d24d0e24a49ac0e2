import {
  type CommandModel,
  commandTree,
  type OptionModel,
  type WordModel,
  withInner,
} from '../cli/command-tree.ts'
import { NOTHING, SOURCES, type Source } from './value-sources.ts'

export type CompletedOption = {
  names: readonly string[]
  description: string
  /** Null: it takes no value, or may go without one. */
  value: Source | null
}

/** What may come after the words that call a command. */
export type CompletedCommand = {
  /** `repro run`; empty for `breakwater` itself. */
  path: string
  commands: readonly { name: string; description: string }[]
  options: readonly CompletedOption[]
  /** By their place; the last stands for all that follow where it may come again. */
  arguments: readonly Source[]
  isVariadic: boolean
}

/** Of the whole command line, outer commands first. */
export function completionModel(): CompletedCommand[] {
  const tree = commandTree()
  return withInner(tree).flatMap((command) => {
    const own = completed(command, tree)
    return [own, ...aliasPaths(command).map((path) => ({ ...own, path }))]
  })
}

/** A command's other names, with the words before them: typed, they are completed like the name itself. */
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
  description: 'display help for command',
  value: null,
}

function completedOption(
  { names, description, value }: OptionModel,
  { path }: CommandModel,
): CompletedOption {
  const [long = ''] = names
  const source = value?.required ? sourceOf(value, [`${path.join(' ')} ${long}`, long]) : null
  return { names, description, value: source }
}

function argumentSource(argument: WordModel, { path }: CommandModel, root: CommandModel): Source {
  if (path.join(' ') === 'help')
    return { words: root.commands.map((each) => each.path.join(' ')), paths: 'none' }
  return sourceOf(argument, [`${path.join(' ')} <${argument.name}>`])
}

function sourceOf({ choices }: WordModel, names: readonly string[]): Source {
  if (choices.length > 0) return { words: choices, paths: 'none' }
  const known = names.map((name) => SOURCES[name]).find((source) => source !== undefined)
  return known?.() ?? NOTHING
}
