import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { BreakwaterError, fileFailure } from '../../contract/breakwater-error.ts'
import { ARRIVAL_KINDS, type Arrivals } from '../../contract/scenario-config.ts'
import { suggestNames } from '../../contract/suggest-names.ts'

/** Arrivals that need no file. */
export const NAMED_ARRIVALS = ARRIVAL_KINDS.filter((kind) => kind !== 'trace')

/** The arrivals of a load, and the name under which runs record them. */
export type PlannedArrivals = Arrivals & { name: string }

/**
 * Parses `even`, `poisson` or the path of a recorded timeline. Throws a BreakwaterError (usage) that names the first line
 * that is not one. k6 reads the file again.
 */
export async function loadArrivals(text: string, cwd: string): Promise<PlannedArrivals> {
  const kind = NAMED_ARRIVALS.find((name) => name === text)
  if (kind !== undefined) return { kind, file: null, name: kind }
  const file = resolve(cwd, text)
  const hash = createHash('sha256')
  let first: number | undefined
  let before = Number.NEGATIVE_INFINITY
  let number = 0
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      number++
      hash.update(`${line}\n`)
      const shown = line.trim()
      if (shown === '' || shown.startsWith('#')) continue
      const seconds = /^[0-9]{1,12}(\.[0-9]{1,9})?$/.test(shown) ? Number(shown) : Number.NaN
      if (!(seconds >= before)) throw notATime(`${text}, line ${number}`)
      first ??= seconds
      before = seconds
    }
  } catch (error) {
    if (error instanceof BreakwaterError) throw error
    throw new BreakwaterError(
      `unknown arrivals ${JSON.stringify(text)}: ${fileFailure(error)}; ${suggestNames(text, NAMED_ARRIVALS)}`,
      { hint: `Expected ${NAMED_ARRIVALS.join(', ')} or a file with recorded arrivals.`, cause: error },
    )
  }
  if (first === undefined || before <= first)
    throw new BreakwaterError(`${text}: expected arrivals at two times or more`, { hint: FORMAT })
  return { kind: 'trace', file, name: `${basename(file).slice(0, 100)} ${hash.digest('hex').slice(0, 8)}` }
}

const FORMAT = 'A recorded timeline has one arrival per line, in seconds and in order, such as 12.5.'

function notATime(where: string): BreakwaterError {
  return new BreakwaterError(`${where}: expected the seconds of an arrival, not before the previous one`, {
    hint: FORMAT,
  })
}
