import { type ParseArgsConfig, parseArgs } from 'node:util'
import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import { unknownName } from '../contract/unknown-name.ts'

export type ToolOptions = Readonly<
  Record<
    string,
    NonNullable<ParseArgsConfig['options']>[string] & { names?: readonly string[]; isNumber?: true }
  >
>

type Parsed<Options extends ToolOptions> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>

/**
 * Parses the arguments of an `npm run` tool; `words` are those that it takes without a dash, null for any. Throws a
 * BreakwaterError (usage) for a wrong argument.
 */
export function parseToolArguments<const Options extends ToolOptions>(
  args: readonly string[],
  { options, words = [] }: { options: Options; words?: readonly string[] | null },
): Parsed<Options> {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional' && words !== null && !words.includes(token.value)) {
      if (words.length === 0) throw new BreakwaterError(`unexpected argument ${JSON.stringify(token.value)}`)
      throw unknownName(`unknown name ${JSON.stringify(token.value)}`, {
        name: token.value,
        names: words,
        listed: 'With --help it lists all.',
      })
    }
    if (token.kind === 'option') mustBeValid(token, options)
  }
  return parseArgs({ args, options, allowPositionals: true })
}

function mustBeValid(
  { name, rawName, value }: { name: string; rawName: string; value?: string | undefined },
  options: ToolOptions,
): void {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (option === undefined) {
    const names = Object.keys(options).map((known) => `--${known}`)
    if (names.length === 0)
      throw new BreakwaterError(`unknown option ${rawName}`, { hint: 'It takes no options.' })
    throw unknownName(`unknown option ${rawName}`, { name: rawName, names })
  }
  if (option.type === 'boolean' && value !== undefined) throw new BreakwaterError(`${rawName} takes no value`)
  if (option.type === 'boolean') return
  if (value === undefined || value.startsWith('-')) throw new BreakwaterError(`${rawName}: missing value`)
  const problem = `${rawName}: invalid value ${JSON.stringify(value)}`
  if (option.isNumber && !/^\d{1,15}$/.test(value))
    throw new BreakwaterError(problem, { hint: 'Expected a whole number.' })
  if (option.names && !option.names.includes(value))
    throw unknownName(problem, { name: value, names: option.names })
}

/** Parses the arguments of this process. Prints an error and exits if one is wrong; prints all options for --help. */
export function toolArguments<const Options extends ToolOptions>(
  tool: string,
  given: { options: Options; words?: readonly string[] | null },
): Parsed<Options> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    const names = [...Object.keys(given.options).map((name) => `--${name}`), ...(given.words ?? [])]
    console.log(
      `npm run ${tool} takes ${names.length === 0 ? 'no options' : `these options: ${names.join(' ')}`}`,
    )
    process.exit(EXIT.ok)
  }
  try {
    return parseToolArguments(args, given)
  } catch (error) {
    exitWith(tool, error)
  }
}

/** Prints an error for users in one message and exits. Rethrows any other. */
export function exitWith(tool: string, error: unknown): never {
  if (!(error instanceof BreakwaterError)) throw error
  const hint = error.hint ?? `\`npm run ${tool} -- --help\` lists all options.`
  console.error(`${tool}: ${error.message}\n  ${hint}`)
  process.exit(error.exitCode)
}
