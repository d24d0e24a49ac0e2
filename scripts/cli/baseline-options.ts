import type { Command } from 'commander'

/** Of commands that make a run: what it is then held against. */
export function baselineOptions(command: Command): Command {
  return command
    .option('--baseline <run>', 'compare with a run, or with the last good one of the same kind in a folder')
    .option('--single', 'with --baseline: judge one run against one, which hides how much runs differ')
}
