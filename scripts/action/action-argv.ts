import { BreakwaterError } from '../../contract/breakwater-error.ts'

/** The commands that end with a verdict, and what each is on the command line. */
const COMMANDS = {
  smoke: { argv: ['smoke'], takes: ['target', 'waivers'] },
  run: { argv: ['run'], takes: ['target'] },
  repro: { argv: ['repro', 'run'], takes: ['target'] },
  capacity: { argv: ['capacity'], takes: ['target'] },
  load: { argv: ['load'], takes: ['target'] },
  k8s: { argv: ['k8s', 'run'], takes: ['target'] },
  compare: { argv: ['compare'], takes: [] },
} as const satisfies Record<string, { argv: readonly string[]; takes: readonly ('target' | 'waivers')[] }>

/** The run folder is the action's own, and it reads the report itself. */
const OWN_OPTIONS = ['--out', '--json']

export type ActionInputs = {
  command: string
  /** Empty where it is left out; so is the next. */
  target: string
  waivers: string
  /** An argument a line, as it is: no shell reads it. */
  arguments: string
}

/** The command line that the inputs of the action ask for. Throws a BreakwaterError (usage) where they ask for none. */
export function actionArgv(inputs: ActionInputs, out: string): string[] {
  const command = Object.entries(COMMANDS).find(([name]) => name === inputs.command)?.[1]
  if (command === undefined) {
    throw new BreakwaterError(`command: there is no ${JSON.stringify(inputs.command)} here`, {
      hint: `One of ${Object.keys(COMMANDS).join(', ')}.`,
    })
  }
  const options = (['target', 'waivers'] as const).flatMap((name) => {
    if (inputs[name] === '') return []
    if ((command.takes as readonly string[]).includes(name)) return [`--${name}=${inputs[name]}`]
    throw new BreakwaterError(`${name}: ${inputs.command} takes none`, { hint: 'Leave it out.' })
  })
  const own = inputs.arguments
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const wrong = own.find((word) => OWN_OPTIONS.includes(word.split('=', 1)[0] ?? ''))
  if (wrong !== undefined) {
    throw new BreakwaterError(`arguments: ${wrong} is the action's own`, {
      hint: 'The run folder is the output `run-folder`, and is kept as the artifact.',
    })
  }
  return [...command.argv, ...options, `--out=${out}`, ...own]
}
