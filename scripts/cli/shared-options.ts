/** Options that several commands share, in the same words. */
import { type Command, Option } from 'commander'
import { CHOICE_SET_NAMES } from '../../contract/choice-set-name.ts'
import { seed } from './option-values.ts'

/** Of the stub exchange that a command starts. */
export function stubOptions(command: Command): Command {
  return command
    .option('--world <name>', 'of the stub: a world of fixtures/worlds', 'tiny')
    .option('--seed <number>', 'decides everything the stub does', seed, 7)
    .addOption(choicesOption().default('plain'))
}

/** `--choices`, one of the sets that there are. */
export function choicesOption(): Option {
  return new Option('--choices <set>', 'how the stub fills in what is not specified').choices(
    CHOICE_SET_NAMES,
  )
}

/** `--mutant`; whether there is one of the name is checked by the command. */
export function mutantOption(): Option {
  return new Option('--mutant <name>', 'make the stub break one rule')
}

/** What the stub does is nothing to another exchange. */
export function targetOption(): Option {
  return new Option('--target <file>', 'a target profile; without it, the stub exchange').conflicts([
    'choices',
    'world',
  ])
}

/** `--confirm`, which has to be a host of the target. */
export function confirmOption(allowed = 'load and changes'): Option {
  return new Option(
    '--confirm <host>',
    `a host of the target that is not this machine, if its profile allows ${allowed}; repeat it for each host`,
  ).argParser(collect)
}

/** Of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Of commands that can start where another run of the chain ended. */
export function loadOption(): Option {
  return new Option('--load <file>', 'go on from a dump, in place of --world and --seed').conflicts([
    'world',
    'seed',
  ])
}

/** Of commands that make a run folder and judge it. */
export function outcomeOptions(
  command: Command,
  { instead = 'the table' }: { instead?: string } = {},
): Command {
  return command
    .option('--strict', 'exit 4 if anything that was selected is inconclusive or skipped')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', `print report.json in place of ${instead}`)
}
