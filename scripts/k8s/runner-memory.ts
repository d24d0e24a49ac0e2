import { BreakwaterError } from '../../contract/breakwater-error.ts'

const MIB = 2 ** 20
/** What k6 takes once its VUs are made and before they do anything: by itself, and for each of them. Measured. */
const IDLE_MIB = { base: 44, perVu: 0.46 }
/** What it is given for a load: answers under way, sessions, and series that the collector has not taken yet (docs/kubernetes.md). */
const BUSY_MIB = { base: 192, perVu: 1.25 }
const STEP_MIB = 64
const LEAST_MIB = 256

/**
 * The memory of each runner, in bytes: as asked for, or as many VUs as come to it take. Throws a BreakwaterError (usage) where what
 * is asked for is less than the VUs take before the load begins: the kernel would end the runner.
 */
export function runnerMemory(options: {
  /** Null: not asked for. */
  askedBytes: number | null
  /** Of all runners together. */
  vusMax: number
  parallelism: number
}): number {
  const { askedBytes, vusMax, parallelism } = options
  const vus = Math.ceil(vusMax / parallelism)
  const room = Math.ceil((BUSY_MIB.base + BUSY_MIB.perVu * vus) / STEP_MIB) * STEP_MIB
  const fitting = Math.max(LEAST_MIB, room)
  if (askedBytes === null) return fitting * MIB
  if (askedBytes >= (IDLE_MIB.base + IDLE_MIB.perVu * vus) * MIB) return askedBytes
  throw new BreakwaterError(
    `--memory ${Math.floor(askedBytes / MIB)}Mi: the ${vus} VUs of each runner take more before they do anything`,
    { hint: `They fit into ${fitting}Mi; or take more runners (--parallelism), or fewer VUs (--max-vus).` },
  )
}
