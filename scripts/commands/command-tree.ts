import type { Argument, Command, Option } from 'commander'
import type { Io } from '../io.ts'
import { buildProgram } from './build-program.ts'
import { visibleCommands } from './strict-command.ts'

/** An argument, or the value of an option. */
export type WordModel = { name: string; required: boolean; variadic: boolean; choices: readonly string[] }

export type ArgumentModel = WordModel & { description: string }

export type OptionModel = {
  /** `--seed <number>` */
  flags: string
  /** Long form first: `--seed`, `-s`. */
  names: readonly string[]
  description: string
  /** Null for a flag. */
  value: WordModel | null
  mandatory: boolean
  default: unknown
  /** Long names of options that cannot be used with it. */
  conflicts: readonly string[]
}

/** A command as plain data, for docs and completion. */
export type CommandModel = {
  /** `['repro', 'run']`; empty for `breakwater` itself. */
  path: readonly string[]
  /** Alternatives to the last word of `path`. */
  aliases: readonly string[]
  description: string
  usage: string
  arguments: readonly ArgumentModel[]
  options: readonly OptionModel[]
  /** The subcommand that runs if none is given. */
  defaultCommand: string | null
  commands: readonly CommandModel[]
}

/** Returns the tree with `breakwater` at the root. Runs nothing. */
export function commandTree(): CommandModel {
  const nothing = {} as Io // as: only actions read it
  return buildModel(
    buildProgram(nothing, () => {}),
    [],
  )
}

/** Lists a command and all its subcommands, outer ones first. */
export function withInner(command: CommandModel): CommandModel[] {
  return [command, ...command.commands.flatMap(withInner)]
}

function buildModel(command: Command, path: readonly string[]): CommandModel {
  return {
    path,
    aliases: command.aliases(),
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map(argumentModel),
    options: command.options.filter(({ hidden }) => !hidden).map((option) => optionModel(option, command)),
    defaultCommand: internals(command)._defaultCommandName,
    commands: visibleCommands(command).map((inner) => buildModel(inner, [...path, inner.name()])),
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
    default: option.negate ? undefined : (option.defaultValueDescription ?? option.defaultValue),
    conflicts: command.options
      .filter((other) => conflictsWith(option, other) || conflictsWith(other, option))
      .map((other) => other.long ?? other.flags),
  }
}

function conflictsWith(option: Option, other: Option): boolean {
  return internals(option).conflictsWith.includes(other.attributeName())
}

/** Private state of commander; a test checks that it exists. */
function internals<Part extends Command | Option>(part: Part) {
  // as: commander's types omit private fields
  return part as unknown as { _defaultCommandName: string | null; conflictsWith: readonly string[] }
}

function valueName(flags: string): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? ''
}
