import type { Io } from '../io.ts'
import { timed } from './detail.ts'

/** Does what takes a moment: a terminal shows it meanwhile, and `--verbose` tells how long it took. */
export async function step<Result>(io: Io, what: string, work: () => Promise<Result>): Promise<Result> {
  io.status([what])
  try {
    return await timed(what, work)
  } finally {
    io.status(null)
  }
}
