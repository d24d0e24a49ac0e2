import { type CompletedCommand, completionModel, numberSources } from './completion-model.ts'

/** Like the bash script, with descriptions. */
export function zshScript(): string {
  const commands = completionModel()
  const { sources, getNumber } = numberSources(commands)
  return `#compdef breakwater
# Zsh completion of breakwater. In this shell: source <(breakwater completion zsh)
# In all shells: breakwater completion zsh > _breakwater, in a folder of fpath.

# What can follow the words of a command: names with descriptions; options with a value have the number of its candidates.
_breakwater_command() {
  case $1 in
${commands.map((command) => commandCase(command, getNumber)).join('\n')}
  esac
}

_breakwater_source() {
  case $1 in
${sources.map(({ words, paths }, number) => `    ${number}) kind=${paths} candidates=(${words.map(shellText).join(' ')}) ;;`).join('\n')}
  esac
}

${WALK}`
}

function commandCase(
  { path, commands, options, arguments: list, isVariadic }: CompletedCommand,
  getNumber: ReturnType<typeof numberSources>['getNumber'],
): string {
  const flags = options.flatMap(({ names, description, value }) =>
    names.flatMap((name) => [name, value === null ? '-' : String(getNumber(value)), description]),
  )
  return [
    `    '${path}')`,
    `      commands=(${commands.flatMap(({ name, description }) => [name, description].map(shellText)).join(' ')})`,
    `      options=(${flags.map(shellText).join(' ')})`,
    `      sources=(${list.map(getNumber).join(' ')}) variadic=${isVariadic ? 1 : 0} ;;`,
  ].join('\n')
}

const WALK = `_breakwater() {
  local where='' expected='' kind=none word name number about
  integer place=0 i variadic=0
  local -a commands options sources candidates shown
  _breakwater_command ''
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $expected ]]; then
      expected=''
    elif [[ $word == -* ]]; then
      for name number about in "\${options[@]}"; do
        [[ $name == $word && $number != - ]] && expected=$number
      done
    elif ((place == 0)) && [[ -n $where$word ]] && _breakwater_names "$word"; then
      where="\${where:+$where }$word"
      _breakwater_command "$where"
    else
      ((place += 1))
    fi
  done
  word=\${words[CURRENT]}
  if [[ -z $expected && $word == --*=* ]]; then
    for name number about in "\${options[@]}"; do
      [[ $name == \${word%%=*} && $number != - ]] && expected=$number
    done
    compset -P '*='
  fi
  if [[ -n $expected ]]; then
    _breakwater_source $expected
  elif [[ $word == -* ]]; then
    for name number about in "\${options[@]}"; do
      candidates+=("$name") shown+=("\${(r:20:)name}  $about")
    done
    compadd -l -d shown -- "\${candidates[@]}"
    return
  else
    ((variadic && place >= $#sources)) && place=$(($#sources - 1))
    [[ -n \${sources[place + 1]} ]] && _breakwater_source \${sources[place + 1]}
    if ((place == 0 && $#commands)); then
      local -a names
      for name about in "\${commands[@]}"; do
        names+=("$name") shown+=("\${(r:12:)name}  $about")
      done
      compadd -l -d shown -- "\${names[@]}"
    fi
  fi
  (($#candidates)) && compadd -- "\${candidates[@]}"
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
  esac
}

_breakwater_names() {
  local name about
  for name about in "\${commands[@]}"; do [[ $name == $1 ]] && return 0; done
  return 1
}

# Loaded by compinit, this file is the body of the function; sourced, it registers the function.
if [[ \${funcstack[1]} == _breakwater ]]; then
  _breakwater "$@"
else
  compdef _breakwater breakwater
fi
`

/** Quotes any text as one word of a POSIX shell or zsh. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
