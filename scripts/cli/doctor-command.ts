import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** `breakwater doctor`. */
export function doctorCommand(doctor: Command, io: Io, done: Done): void {
  doctor
    .description(
      'tell what of this machine, or of a target, keeps runs from working, and what to do about it',
    )
    .option(
      '--target <file>',
      'look at this target, by its profile, as well: a few requests, all of them GET',
    )
    .option('--json', 'print a JSON object')
    .action(async (options) =>
      done(await (await import('../commands/doctor.ts')).runDoctor({ ...options, io })),
    )
}
