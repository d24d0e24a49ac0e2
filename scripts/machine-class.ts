import { cpus, totalmem } from 'node:os'

/** Names machines whose figures may be compared: cores, processor, system, memory. */
export function machineClass(): string {
  const all = cpus()
  const model = (all[0]?.model ?? 'unknown').replaceAll(/\s+/g, ' ').trim()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${all.length} x ${model}, ${process.platform} ${process.arch}, ${gigabytes} GiB`
}
