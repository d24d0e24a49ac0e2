import type { Command } from 'commander'
import { orInterrupted } from '../interrupted.ts'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** `breakwater report`. */
export function reportCommand(report: Command, io: Io, done: Done): void {
  report
    .description('render a run folder again, also one of a run that was killed')
    .argument('<run>', 'the run folder')
    .option('--slo <name>', 'judge by these objectives in place of the run’s own')
    .option('--format <list>', 'some of html,json,junit,md (default: all of them)')
    .option('--json', 'print report.json in place of the table')
    .action(async (dir, { slo, format, json }) => {
      const rendered = (await import('../commands/report.ts')).runReport({
        dir,
        slo,
        formats: format,
        json: json === true,
        io,
      })
      done(await orInterrupted(io.interrupted, rendered, 'interrupted before the report was written'))
    })
}
