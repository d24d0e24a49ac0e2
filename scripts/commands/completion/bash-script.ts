import { type CompletedCommand, completionModel, numberSources } from './completion-model.ts'

/** Two functions hold commands and candidates; a third walks the words before the cursor. */
export function bashScript(): string {
  const commands = completionModel()
  const { sources, getNumber } = numberSources(commands)
  return `# Bash completion of breakwater. In this shell: source <(breakwater completion bash)
# In all shells: breakwater completion bash > ~/.local/share/bash-completion/completions/breakwater

# What can follow the words of a command. Options with a value are --name=SOURCE, the number of its candidates.
_breakwater_command() {
  case $1 in
${commands.map((command) => commandCase(command, getNumber)).join('\n')}
  esac
}

_breakwater_source() {
  case $1 in
${sources.map(({ words, paths }, number) => `    ${number}) paths=${paths} words='${words.join(' ')}' ;;`).join('\n')}
  esac
}

${WALK}`
}

function commandCase(
  { path, commands, options, arguments: list, isVariadic }: CompletedCommand,
  getNumber: ReturnType<typeof numberSources>['getNumber'],
): string {
  const flags = options.flatMap(({ names, value }) =>
    names.map((name) => (value === null ? name : `${name}=${getNumber(value)}`)),
  )
  return [
    `    '${path}')`,
    `      commands='${commands.map(({ name }) => name).join(' ')}'`,
    `      options='${flags.join(' ')}'`,
    `      arguments='${list.map(getNumber).join(' ')}' variadic=${isVariadic ? 1 : 0} ;;`,
  ].join('\n')
}

const WALK = `_breakwater() {
  local where='' expected='' place=0 word option i
  local commands options arguments variadic words paths
  local cur=\${COMP_WORDS[COMP_CWORD]}
  # Readline splits --name=value into three words.
  [[ $cur == '=' ]] && cur=''
  COMPREPLY=()
  _breakwater_command ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == '=' ]] && continue
    if [[ -n $expected ]]; then
      expected=''
    elif [[ $word == -* ]]; then
      for option in $options; do
        [[ $option == "$word="* ]] && expected=\${option#*=}
      done
    elif [[ $place == 0 && " $commands " == *" $word "* ]]; then
      where="\${where:+$where }$word"
      _breakwater_command "$where"
    else
      place=$((place + 1))
    fi
  done
  words='' paths=none
  if [[ -n $expected ]]; then
    _breakwater_source "$expected"
  elif [[ $cur == -* ]]; then
    for option in $options; do words+=" \${option%%=*}"; done
  else
    local -a list=($arguments)
    ((variadic && place >= \${#list[@]})) && place=$((\${#list[@]} - 1))
    [[ -n \${list[place]} ]] && _breakwater_source "\${list[place]}"
    [[ $place == 0 ]] && words="$commands $words"
  fi
  local reply kind=''
  [[ $paths == files ]] && kind=-f
  [[ $paths == folders ]] && kind=-d
  # Readline quotes only file names.
  [[ -n $kind ]] && compopt -o filenames 2>/dev/null
  while IFS= read -r reply; do
    [[ -n $kind ]] || printf -v reply %q "$reply"
    COMPREPLY+=("$reply")
  done < <(compgen -W "$words" -- "$cur"; [[ -n $kind ]] && compgen $kind -- "$cur")
}

complete -F _breakwater breakwater
`
