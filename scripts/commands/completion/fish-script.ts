import {
  type CompletedCommand,
  type CompletedOption,
  completionModel,
  type Source,
} from './completion-model.ts'

/** One line per command, option and argument, each with a condition on the words before the cursor. */
export function fishScript(): string {
  const commands = completionModel()
  return `# Fish completion of breakwater. In this shell: breakwater completion fish | source
# In all shells: breakwater completion fish > ~/.config/fish/completions/breakwater.fish

# Options with a value, and subcommands, by the words of a command.
function __breakwater_valued
  switch "$argv"
${commands.map(({ path, options }) => `    case '${path}'\n      echo ${valuedNames(options).join(' ')}`).join('\n')}
  end
end

function __breakwater_commands
  switch "$argv"
${commands
  .filter(({ commands: inner }) => inner.length > 0)
  .map(
    ({ path, commands: inner }) =>
      `    case '${path}'\n      echo ${inner.map(({ name }) => name).join(' ')}`,
  )
  .join('\n')}
  end
end

${AT}
complete -c breakwater -f
${commands.flatMap(commandLines).join('\n')}
`
}

function valuedNames(options: readonly CompletedOption[]): string[] {
  return options.flatMap(({ names, value }) => (value === null ? [] : names))
}

function commandLines({ path, commands, options, arguments: list, isVariadic }: CompletedCommand): string[] {
  const at = (places: string) => `complete -c breakwater -n ${fishText(`__breakwater_at '${path}'${places}`)}`
  return [
    ...commands.map(({ name, description }) => `${at(' 0')} -a ${name} -d ${fishText(description)}`),
    ...options.map(
      ({ names, description, value }) =>
        `${at('')} ${names.map(nameFlag).join(' ')} -d ${fishText(description)}${value === null ? '' : valueFlags(value)}`,
    ),
    ...list.flatMap((source, place) => {
      const flags = argumentFlags(source)
      const places = isVariadic && place === list.length - 1 ? '' : ` ${place}`
      return flags === '' ? [] : [`${at(places)}${flags}`]
    }),
  ]
}

function nameFlag(name: string): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`
}

function valueFlags(source: Source): string {
  return source.paths === 'files' ? ` -r -F${wordsFlag(source.words)}` : ` -x${argumentFlags(source)}`
}

function argumentFlags({ words, paths }: Source): string {
  if (paths === 'files') return ` -F${wordsFlag(words)}`
  return paths === 'folders' ? " -a '(__fish_complete_directories)'" : wordsFlag(words)
}

function wordsFlag(words: readonly string[]): string {
  return words.length === 0 ? '' : ` -a ${fishText(words.join(' '))}`
}

/** Quotes a text; fish escapes quotes and backslashes with a backslash. */
function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

const AT = `# Succeeds if the words before the cursor are this command, followed by N arguments if N is given.
function __breakwater_at
  set -l where
  set -l place 0
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if string match -q -- '-*' $word
      contains -- $word (__breakwater_valued $where | string split ' '); and set skip 1
    else if test $place = 0; and contains -- $word (__breakwater_commands $where | string split ' ')
      set -a where $word
    else
      set place (math $place + 1)
    end
  end
  test "$where" = "$argv[1]"; or return 1
  test (count $argv) = 1; or test $place = $argv[2]
end
`
