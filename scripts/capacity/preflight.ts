import { readFileSync } from 'node:fs'
import { ephemeralPorts } from './read-proc.ts'

/** Of a machine, and of a process on it; null: not to be had here. */
export type Provisions = { openFilesLimit: number | null; ephemeralPorts: number | null }

/** Files that k6 has open without any socket. */
const FILES_BESIDE_SOCKETS = 50

/** What a load may run out of, before it begins: a VU holds a connection, and perhaps a socket of the feed besides. */
export function generatorWarnings(
  { vusMax, instances, socketsPerVu = 1 }: { vusMax: number; instances: number; socketsPerVu?: number },
  { openFilesLimit, ephemeralPorts }: Provisions = provisions(),
): string[] {
  const sockets = vusMax * socketsPerVu
  const files = Math.ceil(sockets / instances) + FILES_BESIDE_SOCKETS
  const count = (number: number) => number.toLocaleString('en')
  return [
    ...(openFilesLimit !== null && files > openFilesLimit
      ? [
          `${count(vusMax)} VUs may need ${count(files)} open files in a k6 process, and it may have ${count(openFilesLimit)}: raise the hard limit (ulimit -Hn), take more --instances, or less --max-vus`,
        ]
      : []),
    ...(ephemeralPorts !== null && sockets > ephemeralPorts
      ? [
          `${count(vusMax)} VUs may need ${count(sockets)} ports, and there are ${count(ephemeralPorts)}: widen net.ipv4.ip_local_port_range, take another machine besides (breakwater merge), or less --max-vus`,
        ]
      : []),
  ]
}

/** The hard limit: Go programs raise theirs to it as they begin. */
function provisions(): Provisions {
  let limits = ''
  try {
    limits = readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Not Linux: nothing is known, and nothing warned of.
  }
  const hard = /^Max open files +\d+ +(\d+)/m.exec(limits)?.[1]
  return { openFilesLimit: hard === undefined ? null : Number(hard), ephemeralPorts: ephemeralPorts() }
}
