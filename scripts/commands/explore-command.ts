import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import {
  choicesOption,
  confirmOption,
  type Done,
  durationOption,
  GROUPS,
  mutantOption,
  stubOptions,
  targetOption,
  wholeNumber,
} from './options.ts'

export function exploreCommand(explore: Command, io: Io, done: Done): void {
  explore
    .description(
      'Search for sequences of requests and frames that make an exchange violate the specification, and shrink them',
    )
    .optionsGroup(GROUPS.target)
    .addOption(targetOption())
    .addOption(confirmOption('changes'))
    .option(
      '--max-requests <number>',
      'Stop after this many requests (default: no limit on the stub, 50000 on a target)',
      wholeNumber(100_000_000, { min: 1 }),
    )
    .option('--include-slow', 'Allow waits of 16 minutes on a target, until access sessions expire')
    .optionsGroup(GROUPS.load)
    .addOption(
      durationOption('--budget', 'Stop after this long', {
        min: '1s',
        max: '24h',
        unit: 'ms',
        default: '5m',
      }),
    )
    .option(
      '--max-sequences <number>',
      'Stop after this many sequences (default: no limit)',
      wholeNumber(10_000_000, { min: 1 }),
    )
    .option(
      '--max-findings <number>',
      'Stop after this many violated rules (default: no limit)',
      wholeNumber(10_000, { min: 1 }),
    )
    .option(
      '--commands <glob>',
      'Use only commands whose name matches this pattern, or one of a comma-separated list',
      '*',
    )
    .addOption(
      new Option('--case <file>', 'Run only the sequence of this case, three to six times').conflicts([
        'budget',
        'maxSequences',
        'maxFindings',
        'maxRequests',
        'commands',
        'world',
        'seed',
        'choices',
        'mutant',
        'output',
        'cases',
      ]),
    )
  stubOptions(explore, choicesOption().default('default'))
    .addOption(mutantOption())
    .optionsGroup(GROUPS.output)
    .option(
      '-o, --output <dir>',
      'Write explore.html, explore.json and junit.xml to this folder (default: a new folder in runs/)',
    )
    .option('--cases <dir>', 'Write a case for each violation to this folder', 'cases')
    .option('--json', 'Print explore.json instead of the text')
    .action(async (options) => done(await (await import('./explore.ts')).runExplore({ ...options, io })))
}
