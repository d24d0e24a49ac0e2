/** Options of commands that make a load, in the same words. */
import type { Command } from 'commander'
import { rate, wholeNumber } from './option-values.ts'
import { collect, confirmOption } from './shared-options.ts'

/** What clients do, and what is asked of the answers. */
export function mixOptions(command: Command): Command {
  return command
    .addOption(confirmOption('load'))
    .option('--mix <name>', 'what clients do: a mix of fixtures/mixes, or a .json file', 'reads')
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: capacity)')
}

/** One rate that is held. */
export function heldRateOptions(command: Command): Command {
  return command
    .requiredOption('--rate <rate>', 'iterations a second', rate)
    .option('--duration <seconds>', 'judged for so long', wholeNumber(86_400, { min: 2 }), 30)
    .option('--warm-up <seconds>', 'not judged, before', wholeNumber(3600), 2)
}

/** `--max-vus`. */
export function maxVusOption(command: Command): Command {
  return command.option(
    '--max-vus <number>',
    'clients at a time, at the most',
    wholeNumber(100_000, { min: 1 }),
    2000,
  )
}

/** `--k6-out`. */
export function k6OutOption(command: Command): Command {
  return command.option(
    '--k6-out <spec>',
    'a further output of k6, as its own --out takes it; may come again',
    collect,
  )
}
