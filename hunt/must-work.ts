import { BreakwaterError, EXIT } from '../contract/breakwater-error.ts'
import type { HuntWorld, ScheduleRun } from './schedule.ts'

/** Share of the run in which the client kept a core busy. */
const CPU_SHARE_MAX = 0.9
/** Entries of the journal: a client may start with a burst. */
const FLOOD_MIN = 1000
const FLOOD_PER_SECOND = 200

/**
 * Throws a BreakwaterError (environment) if a client does not work even without faults. A client that does nothing, or fails
 * without any fault, would pass every rule; one that uses up the machine would falsify all timings.
 */
export function mustWork(run: ScheduleRun, world: HuntWorld): void {
  const problem = describeFailure(run, world)
  if (problem === undefined) return
  const [message, hint] = problem
  throw new BreakwaterError(message, { hint: `${hint}. Nothing was judged.`, exitCode: EXIT.environment })
}

function describeFailure(
  { entries, clientEnd, clientCpuMs = 0 }: ScheduleRun,
  { durationMs }: HuntWorld,
): [message: string, hint: string] | undefined {
  const seconds = durationMs / 1000
  if (clientEnd !== null)
    return [
      `the client failed in a run without faults: ${clientEnd}`,
      'Make it work against a stub without faults first',
    ]
  if (clientCpuMs >= CPU_SHARE_MAX * durationMs)
    return [
      `the client used ${(clientCpuMs / 1000).toFixed(1)} s of CPU time in a run of ${seconds} s without faults`,
      'A client that keeps a core busy delays itself and the stub. Find its busy loop, or raise --duration if its start takes that long',
    ]
  const requests = entries.filter((entry) => entry.kind === 'request')
  const hasSocket = entries.some(({ kind }) => kind === 'socket')
  if (requests.length === 0 && !hasSocket)
    return [
      `the client sent nothing to the stub within ${seconds} s`,
      'Check that it uses the addresses that it gets',
    ]
  if (!hasSocket && requests.every(({ route }) => route === null))
    return [
      'the client requested only paths that the exchange does not have',
      'Check that it appends the paths of the interface to the address that it gets',
    ]
  const perSecond =
    entries.length / Math.max(1, ((entries.at(-1)?.atMs ?? 0) - (entries[0]?.atMs ?? 0)) / 1000)
  if (entries.length >= FLOOD_MIN && perSecond > FLOOD_PER_SECOND)
    return [
      `the client floods the stub: ${Math.round(perSecond)} requests and frames per second in a run without faults`,
      'It delays itself and the stub. Find the loop that does not pause',
    ]
  return undefined
}
