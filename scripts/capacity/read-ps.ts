import { execFile } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { promisify } from 'node:util'
import type { GeneratorSample, ProcessSample, ReadGenerator } from './generator-sample.ts'

const run = promisify(execFile)

/** Reads processes by `ps`, as POSIX has it, and the machine by Node: where there is no /proc, such as macOS. */
export function createPsReader(): ReadGenerator {
  return async (pids): Promise<GeneratorSample> => {
    const args = ['-o', 'pid=', '-o', 'time=', '-o', 'rss=', '-p', pids.join(',')]
    // Its exit code is 1 where one of them has ended.
    const text = pids.length === 0 ? '' : await run('ps', args).then(outputOf, outputOf)
    return {
      atMs: Date.now(),
      processes: processesOf(text),
      machine: machineNow(),
      coresMax: availableParallelism(),
      timeWaitSockets: null,
      ephemeralPorts: null,
    }
  }
}

/** Lines of process, processor time and kilobytes. */
export function processesOf(text: string): Map<number, ProcessSample> {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  return new Map(
    lines.flatMap(([pid, time, kilobytes]) =>
      time === undefined || kilobytes === undefined
        ? []
        : [
            [
              Number(pid),
              {
                cpuMs: timeMsOf(time),
                runDelayMs: null,
                openFiles: null,
                openFilesLimit: null,
                residentMb: Number(kilobytes) / 1024,
              },
            ],
          ],
    ),
  )
}

/** `[[days-]hours:]minutes:seconds`; macOS adds hundredths, and counts minutes on beyond 60. */
function timeMsOf(time: string): number {
  const [rest = '', days = '0'] = time.split('-').reverse()
  const seconds = rest.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return (Number(days) * 86_400 + seconds) * 1000
}

function machineNow(): GeneratorSample['machine'] {
  let busyMs = 0
  let idleMs = 0
  for (const { times } of cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq
    idleMs += times.idle
  }
  return { busyMs, totalMs: busyMs + idleMs }
}

function outputOf(ended: unknown): string {
  return String((ended as { stdout?: string }).stdout ?? '') // as: what execFile gives, and its errors
}
