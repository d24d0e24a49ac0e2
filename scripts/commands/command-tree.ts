import type { Argument, Command, Option } from 'commander'
import type { Io } from '../io.ts'
import { buildProgram } from './build-program.ts'

/** What a word of the command line may be: an argument, or the value of an option. */
export type WordModel = { name: string; required: boolean; variadic: boolean; choices: readonly string[] }

export type ArgumentModel = WordModel & { description: string }

export type OptionModel = {
  /** As help shows it: `--seed <number>`. */
  flags: string
  /** `--seed`, and `-s` where there is a short form. */
  names: readonly string[]
  description: string
  /** Null: it takes none. */
  value: WordModel | null
  mandatory: boolean
  /** Undefined: none. */
  default: unknown
  /** The long names of options that it may not stand beside. */
  conflicts: readonly string[]
}

/** A command of the command line as plain data: for pages, and for completion. */
export type CommandModel = {
  /** The words that call it: `['repro', 'run']`; none for `breakwater` itself. */
  path: readonly string[]
  /** Other names for the last of these words. */
  aliases: readonly string[]
  description: string
  /** What help shows after the command's words. */
  usage: string
  arguments: readonly ArgumentModel[]
  options: readonly OptionModel[]
  /** Which of the commands below it is meant where none is named; null: none. */
  defaultCommand: string | null
  commands: readonly CommandModel[]
}

/** The whole command line, `breakwater` at the root. Nothing of it is run. */
export function commandTree(): CommandModel {
  const nothing = {} as Io // as: only what a command does reads it
  return modelOf(
    buildProgram(nothing, () => {}),
    [],
  )
}

/** A command and all below it, outer ones first. */
export function withInner(command: CommandModel): CommandModel[] {
  return [command, ...command.commands.flatMap(withInner)]
}

function modelOf(command: Command, path: readonly string[]): CommandModel {
  return {
    path,
    aliases: command.aliases(),
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map(argumentModel),
    options: command.options.filter(({ hidden }) => !hidden).map((option) => optionModel(option, command)),
    defaultCommand: internals(command)._defaultCommandName,
    commands: command.commands.map((inner) => modelOf(inner, [...path, inner.name()])),
  }
}

function argumentModel(argument: Argument): ArgumentModel {
  return {
    name: argument.name(),
    required: argument.required,
    variadic: argument.variadic,
    choices: argument.argChoices ?? [],
    description: argument.description,
  }
}

function optionModel(option: Option, command: Command): OptionModel {
  const { flags, description, required, optional, variadic, mandatory } = option
  return {
    flags,
    names: [option.long, option.short].filter((name) => name !== undefined),
    description,
    value:
      required || optional
        ? { name: valueName(flags), required, variadic, choices: option.argChoices ?? [] }
        : null,
    mandatory,
    default: option.negate ? undefined : option.defaultValue,
    conflicts: command.options
      .filter((other) => refuses(option, other) || refuses(other, option))
      .map((other) => other.long ?? other.flags),
  }
}

function refuses(option: Option, other: Option): boolean {
  return internals(option).conflictsWith.includes(other.attributeName())
}

/** What commander knows and does not tell; a test holds it to be there. */
function internals<Part extends Command | Option>(part: Part) {
  // as: fields of commander's own, which its types leave out
  return part as unknown as { _defaultCommandName: string | null; conflictsWith: readonly string[] }
}

function valueName(flags: string): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? ''
}
