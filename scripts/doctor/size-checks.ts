import type { Judged } from './finding.ts'
import type { MachineFacts } from './machine-facts.ts'

const GIB = 2 ** 30
/** What the build of k6 takes at its height, with Node beside it. */
const MEMORY_BYTES_LEAST = 2 * GIB

/** Whether there are cores for the load generator beside what it loads. */
export function checkCores({ cores }: Pick<MachineFacts, 'cores'>): Judged {
  const saw = `${Number(cores.toFixed(1))} for this process`
  if (cores >= 2) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}: stub and load generator wait for each other, and latencies are those of the machine`,
    remedy: { text: 'Give it two cores or more, or test a target on another machine.' },
  }
}

/** Whether there is memory for the build of k6 and for a run. */
export function checkMemory({ memoryBytes }: Pick<MachineFacts, 'memoryBytes'>): Judged {
  const saw = `${(memoryBytes / GIB).toFixed(1)} GiB for this process`
  if (memoryBytes >= MEMORY_BYTES_LEAST) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}, and building k6 takes some 2 GiB`,
    remedy: { text: 'Give it 2 GiB or more, or build k6 elsewhere and set BREAKWATER_K6 to its path.' },
  }
}
