/** What a reader has already where a page names it, and a test has to make first. */
export type GivenKind =
  | 'profile'
  | 'deployment'
  | 'slo'
  | 'mix'
  | 'stages'
  | 'world'
  | 'plan'
  | 'waivers'
  | 'dump'
  | 'scenario'
  | 'run'

export type Given = { path: string; kind: GivenKind }

/** The kind of file that an option takes. */
const OPTION_FILES: Readonly<Record<string, GivenKind>> = {
  '--target': 'profile',
  '--slo': 'slo',
  '--mix': 'mix',
  '--stages': 'stages',
  '--world': 'world',
  '--faults': 'plan',
  '--waivers': 'waivers',
  '--load': 'dump',
  '--baseline': 'run',
}

/** The kind of file or folder that a command takes without an option. */
const COMMAND_FILES: Readonly<Record<string, GivenKind>> = {
  run: 'scenario',
  report: 'run',
  merge: 'run',
  compare: 'run',
  'compare --run': 'profile',
}

/** Files and folders that the arguments of a `breakwater` command name, in order; names of fixtures are none. */
export function givensOf(words: readonly string[]): Given[] {
  if (words[0] === 'runs') return [{ path: 'runs/earlier', kind: 'run' }]
  const command = words[0] === 'compare' && words.includes('--run') ? 'compare --run' : (words[0] ?? '')
  return words.flatMap((path, at) => {
    const option = OPTION_FILES[words[at - 1] ?? '']
    const named = option ?? (at > 0 && isPath(path) ? COMMAND_FILES[command] : undefined)
    const kind = named === 'profile' && words.includes('exchange.example') ? 'deployment' : named
    return kind !== undefined && isPath(path) && !isOutput(words[at - 1])
      ? [{ path: path === 'runs' ? 'runs/earlier' : path, kind }]
      : []
  })
}

/** A file by its ending, a run folder by where it is; one letter is a run folder too. */
function isPath(word: string): boolean {
  return /\.(json|dump|ts)$|^runs\/?|^[a-z]$/.test(word) && !word.startsWith('stub:')
}

function isOutput(option: string | undefined): boolean {
  return option === '--out' || option === '--profile' || option === '--k6-out'
}
