import { ruleById } from '../../contract/rules.ts'
import { shellWords } from '../shell-words.ts'

/** Options of a smoke run that say what is judged, and not which part of it, or how that is told. */
const KEPT = ['--target', '--world', '--seed', '--choices', '--mutant', '--confirm', '--max-requests']

/** The command line that judges these rules alone against what the run judged, to be pasted into a shell. */
export function ruleCommand(command: string, rules: readonly string[]): string {
  const kept = keptOptions(shellWords(command))
  // Against the stub it changes nothing: there the clock is moved.
  const slow = rules.some((id) => ruleById(id)?.takes === '15 minutes') && hasOption(kept, '--target')
  return [
    'breakwater',
    'smoke',
    ...kept,
    '--rules',
    rules.join(','),
    '--no-load',
    ...(slow ? ['--include-slow'] : []),
  ].join(' ')
}

function keptOptions(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (KEPT.some((name) => word.startsWith(`${name}=`))) return [word]
    const value = words[index + 1]
    return KEPT.includes(word) && value !== undefined ? [word, value] : []
  })
}

function hasOption(words: readonly string[], name: string): boolean {
  return words.some((word) => word === name || word.startsWith(`${name}=`))
}
