import { CACHE_HINT } from '../k6/find-go.ts'
import type { Judged } from './finding.ts'
import type { FolderFacts, MachineFacts } from './machine-facts.ts'

const MIB = 2 ** 20
const RUN_BYTES = 200 * MIB
/** The modules of k6, what the compiler keeps, and k6 itself. */
const BUILD_BYTES = 3000 * MIB

type Purpose = keyof MachineFacts['folders']

const REMEDIES: Readonly<Record<Purpose, string>> = {
  cache: CACHE_HINT,
  runs: 'Run breakwater in a folder that you may write to, or name one with --out.',
  temporary: 'Set TMPDIR to a folder that you may write to.',
}

/** Whether what goes into a folder can be written, and has room. What k6's build takes is asked only while it is not built. */
export function checkFolder(
  purpose: Purpose,
  { path, failure, freeBytes }: FolderFacts,
  { version, isGiven }: Pick<MachineFacts['k6'], 'version' | 'isGiven'>,
): Judged {
  const isUnused = purpose === 'cache' && (isGiven || version !== null)
  if (failure !== null) {
    const saw = `${path}: ${failure}`
    if (isUnused) return { verdict: 'ok', saw: `${saw}; not needed, as k6 is built` }
    return { verdict: 'problem', saw, remedy: { text: REMEDIES[purpose] } }
  }
  if (freeBytes === null) return { verdict: 'ok', saw: `${path}: writable` }
  const needed = purpose === 'cache' && !isUnused ? BUILD_BYTES : RUN_BYTES
  const saw = `${path}: writable, ${roomOf(freeBytes)} free`
  if (freeBytes >= needed) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}; ${roomOf(needed)} may be needed`,
    remedy:
      purpose === 'runs'
        ? {
            text: 'Make room on that disk; old runs can go.',
            command: 'npx breakwater runs prune --keep 20',
          }
        : { text: 'Make room on that disk.' },
  }
}

function roomOf(bytes: number): string {
  return bytes >= 1024 * MIB ? `${(bytes / MIB / 1024).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`
}
