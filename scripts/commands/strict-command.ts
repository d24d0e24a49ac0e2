import { Argument, Command, type HelpContext, InvalidArgumentError, type Option } from 'commander'
import { shownAddress } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { unknownName } from '../../contract/unknown-name.ts'

/**
 * A command whose errors have Breakwater's shape. Overrides the methods in which commander words its own, most of which its types
 * omit: a test runs into each.
 */
export class StrictCommand extends Command {
  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name)
  }

  /** Commander shows the help as an error if a subcommand is missing. */
  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context !== 'object' || !context.error) return super.help()
    throw new BreakwaterError(`${this.place()}expected a command`, { hint: this.listing('commands') })
  }

  unknownCommand(): never {
    const [name = ''] = this.args
    throw unknownName(`${this.place()}unknown command ${JSON.stringify(shownAddress(name))}`, {
      name,
      names: visibleCommands(this).map((command) => command.name()),
      listed: this.listing('commands'),
    })
  }

  /** The value after `=` may be a secret. */
  unknownOption(given: string): never {
    const flag = given.replace(/=.*/s, '')
    const owner = this.parent?.parent
      ? this.parent.commands.find((command) => command.options.some(({ long }) => long === flag))
      : undefined
    if (owner !== undefined) {
      throw new BreakwaterError(`${this.place()}unknown option ${flag}`, {
        hint: `${flag} is an option of \`breakwater ${buildCommandPath(owner)}\`.`,
      })
    }
    const options = [this, this.parent].flatMap((command) => command?.options ?? [])
    if (flag !== given && options.some(({ long }) => long === flag))
      throw new BreakwaterError(`${flag} takes no value`, { hint: this.listing('options') })
    throw unknownName(`${this.place()}unknown option ${flag}`, {
      name: flag,
      names: [...options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : [])), '--help'],
      listed: this.listing('options'),
    })
  }

  missingArgument(name: string): never {
    throw new BreakwaterError(`${this.place()}missing argument: ${name}`, { hint: this.usageLine() })
  }

  _excessArguments(given: readonly string[]): never {
    const extra = shownAddress(given[this.registeredArguments.length] ?? '')
    throw new BreakwaterError(`${this.place()}unexpected argument ${JSON.stringify(extra)}`, {
      hint: this.usageLine(),
    })
  }

  optionMissingArgument({ long, flags }: Option): never {
    throw new BreakwaterError(`${long}: missing value`, {
      hint: `Expected ${flags}. ${this.listing('options')}`,
    })
  }

  missingMandatoryOptionValue({ long, flags }: Option): never {
    // The more likely mistake: commander checks for missing options first.
    const unknown = this.args.find((word) => word.startsWith('-'))
    if (unknown !== undefined) this.unknownOption(unknown)
    throw new BreakwaterError(`${this.place()}${long} is required`, {
      hint: `Expected ${flags}. ${this.listing('options')}`,
    })
  }

  _conflictingOption(option: Option, other: Option): never {
    throw new BreakwaterError(`${option.long} cannot be used with ${other.long}`, {
      hint: 'Omit one of them.',
    })
  }

  _callParseArg(target: Option | Argument, value: string, before: unknown): unknown {
    try {
      return target.parseArg?.(value, before)
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error
      const name = target instanceof Argument ? target.name() : target.long
      const problem = `${name}: invalid value ${JSON.stringify(value)}`
      const listed = this.listing('options')
      if (target.argChoices) throw unknownName(problem, { name: value, names: target.argChoices, listed })
      throw new BreakwaterError(problem, { hint: `${error.message} ${listed}` })
    }
  }

  private place(): string {
    return this.parent === null ? '' : `${buildCommandPath(this)}: `
  }

  private listing(what: 'commands' | 'options'): string {
    return `\`breakwater ${`${buildCommandPath(this)} --help`.trim()}\` lists all ${what}.`
  }

  private usageLine(): string {
    return `Usage: breakwater ${buildCommandPath(this)} ${this.usage()}`
  }
}

/** Without the implicit `help`. */
export function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((inner) => command.commands.includes(inner))
}

/** `repro run`; empty for the program itself. */
export function buildCommandPath(command: Command): string {
  return command.parent === null ? '' : `${buildCommandPath(command.parent)} ${command.name()}`.trim()
}

/** Throws a BreakwaterError (usage) if one of the options is given without the one that uses them. */
export function requireWith(
  command: Command,
  { needed, options, hint }: { needed: string; options: readonly string[]; hint: string },
): void {
  if (command.getOptionValue(needed) !== undefined) return
  const given = command.options.filter(
    (option) =>
      options.includes(option.attributeName()) &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (given.length === 0) return
  const flags = given.map(({ long }) => long).join(', ')
  throw new BreakwaterError(
    `${command.name()}: ${flags} ${given.length === 1 ? 'needs' : 'need'} --${needed}`,
    { hint },
  )
}
