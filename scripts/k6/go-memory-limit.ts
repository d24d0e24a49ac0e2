import { totalmem } from 'node:os'
import process from 'node:process'

/** Of the memory that there is: the rest is for the commands, a stub, and what else the machine does. */
const SHARE = 0.8

/**
 * GOMEMLIMIT of each of so many k6 processes, in bytes: near it, Go collects garbage more often rather than let memory grow. It is no hard
 * limit. Of the memory of this machine, or of the control group that this process is in.
 */
export function goMemoryLimit(processes: number, memoryBytes = availableBytes()): string {
  return String(Math.floor((memoryBytes * SHARE) / processes))
}

/** Without a control group Node says 0, or a number beyond all memory. */
function availableBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
