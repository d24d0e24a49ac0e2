/** Everything that is asked of a machine, in the order in which it is told. */

import { CACHE_HINT, isAtLeast, OLDEST_GO, REMEDIES } from '../k6/find-go.ts'
import type { Finding, Judged } from './finding.ts'
import type { FolderFacts, MachineFacts } from './look-at-machine.ts'

/** Ports to listen on, and what sockets a load may hold. */
/** Clients at a time unless --max-vus says otherwise; each holds a connection, and perhaps a socket of the feed. */
const VUS = 2000
const SOCKETS = 2 * VUS
/** Files that k6 has open without any socket. */
const FILES_BESIDE_SOCKETS = 50

/** Whether the ports that `breakwater stub` takes by default are free. */
function checkPorts({ ports }: Pick<MachineFacts, 'ports'>): Judged {
  const taken = ports.filter(({ failure }) => failure !== null)
  const numbers = (list: MachineFacts['ports']) => list.map(({ port }) => port).join(', ')
  if (taken.length === 0) return { verdict: 'ok', saw: `${numbers(ports)} are free, for \`stub\`` }
  return {
    verdict: 'warning',
    saw: taken.map(({ port, failure }) => `${port}: ${failure}`).join('; '),
    remedy: {
      text: 'A stub that runs already has them? Else `stub` takes others; runs against its own stub need none of them.',
      command: 'npx breakwater stub --port 0 --feed-port 0 --control-port 0',
    },
  }
}

/** How many connections to one address the machine can have open at a time. */
function checkEphemeralPorts({
  ephemeralPorts,
  platform,
}: Pick<MachineFacts, 'ephemeralPorts' | 'platform'>): Judged {
  if (ephemeralPorts === null) return unchecked(platform)
  const saw = `${count(ephemeralPorts)} for connections that go out: enough for ${count(Math.floor(ephemeralPorts / 2))} VUs with a socket each`
  if (ephemeralPorts >= SOCKETS) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}, fewer than the ${count(VUS)} that a load may use unless told`,
    remedy:
      platform === 'darwin'
        ? {
            text: 'Widen the range, or take less --max-vus.',
            command: 'sudo sysctl -w net.inet.ip.portrange.first=16384',
          }
        : {
            text: 'Widen the range, or take less --max-vus.',
            command: 'sudo sysctl -w net.ipv4.ip_local_port_range="10240 65535"',
          },
  }
}

/** How many sockets a process may have open, and what load that suffices for. */
function checkOpenFiles({ openFilesMax, platform }: Pick<MachineFacts, 'openFilesMax' | 'platform'>): Judged {
  if (openFilesMax === null) return unchecked(platform)
  const vus = Math.max(0, Math.floor((openFilesMax - FILES_BESIDE_SOCKETS) / 2))
  const saw = Number.isFinite(openFilesMax)
    ? `at most ${count(openFilesMax)} in a process: enough for ${count(vus)} VUs with a socket each`
    : 'no limit in a process'
  if (vus >= VUS) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}, fewer than the ${count(VUS)} that a load may use unless told`,
    remedy: {
      text: 'Raise the hard limit (as root, in the shell that runs breakwater; or in /etc/security/limits.conf), take more --instances, or less --max-vus.',
      command: 'ulimit -Hn 65536',
    },
  }
}

function unchecked(platform: NodeJS.Platform): Judged {
  return { verdict: 'unchecked', saw: `not to be had on ${platform}` }
}

function count(number: number): string {
  return number.toLocaleString('en')
}

const MIB = 2 ** 20
const RUN_BYTES = 200 * MIB
/** The modules of k6, what the compiler keeps, and k6 itself. */
const BUILD_BYTES = 3000 * MIB

type Purpose = keyof MachineFacts['folders']

const FOLDER_REMEDIES: Readonly<Record<Purpose, string>> = {
  cache: CACHE_HINT,
  runs: 'Run breakwater in a folder that you may write to, or name one with --out.',
  temporary: 'Set TMPDIR to a folder that you may write to.',
}

/** Whether what goes into a folder can be written, and has room. What k6's build takes is asked only while it is not built. */
function checkFolder(
  purpose: Purpose,
  { path, failure, freeBytes }: FolderFacts,
  { version, isGiven }: Pick<MachineFacts['k6'], 'version' | 'isGiven'>,
): Judged {
  const isUnused = purpose === 'cache' && (isGiven || version !== null)
  if (failure !== null) {
    const saw = `${path}: ${failure}`
    if (isUnused) return { verdict: 'ok', saw: `${saw}; not needed, as k6 is built` }
    return { verdict: 'problem', saw, remedy: { text: FOLDER_REMEDIES[purpose] } }
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

/** The wall clock may be slowed or hurried by a service that keeps time, by at most 500 parts in a million; not set. */
const JUMP_MS = 20
/** Before this was written. */
const EARLIEST = Date.parse('2025-01-01')

/** Whether the wall clock goes as the monotonic one does: timestamps of a run that it leaps in are of no use. */
function checkClock({ clock, platform }: Pick<MachineFacts, 'clock' | 'platform'>): Judged {
  const { wallMs, steadyMs, now } = clock
  const seconds = (steadyMs / 1000).toFixed(1)
  const remedy = {
    text: 'Let a service keep the time.',
    command: platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true',
  }
  if (now.getTime() < EARLIEST) {
    return {
      verdict: 'problem',
      saw: `it says ${now.toISOString()}: certificates and sessions are judged by it`,
      remedy,
    }
  }
  const jumpMs = Math.round(wallMs - steadyMs)
  if (Math.abs(jumpMs) <= JUMP_MS) {
    return { verdict: 'ok', saw: `steady: wall clock and monotonic clock agreed for ${seconds} s` }
  }
  return {
    verdict: 'warning',
    saw: `the wall clock went ${Math.abs(jumpMs)} ms ${jumpMs > 0 ? 'too far' : 'too short'} within ${seconds} s: it was set, or the machine slept`,
    remedy,
  }
}

const GIB = 2 ** 30
/** What the build of k6 takes at its height, with Node beside it. */
const MEMORY_BYTES_LEAST = 2 * GIB

/** Whether there are cores for the load generator beside what it loads. */
function checkCores({ cores }: Pick<MachineFacts, 'cores'>): Judged {
  const saw = `${Number(cores.toFixed(1))} for this process`
  if (cores >= 2) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}: stub and load generator wait for each other, and latencies are those of the machine`,
    remedy: { text: 'Give it two cores or more, or test a target on another machine.' },
  }
}

/** Whether there is memory for the build of k6 and for a run. */
function checkMemory({ memoryBytes }: Pick<MachineFacts, 'memoryBytes'>): Judged {
  const saw = `${(memoryBytes / GIB).toFixed(1)} GiB for this process`
  if (memoryBytes >= MEMORY_BYTES_LEAST) return { verdict: 'ok', saw }
  return {
    verdict: 'warning',
    saw: `${saw}, and building k6 takes some 2 GiB`,
    remedy: { text: 'Give it 2 GiB or more, or build k6 elsewhere and set BREAKWATER_K6 to its path.' },
  }
}

const MACHINE_CHECKS: readonly (readonly [name: string, check: (facts: MachineFacts) => Judged])[] = [
  ['node', checkNode],
  ['go', checkGo],
  ['k6', checkK6],
  ['ports', checkPorts],
  ['ephemeral ports', checkEphemeralPorts],
  ['open files', checkOpenFiles],
  ['clock', checkClock],
  ['cores', checkCores],
  ['memory', checkMemory],
  ['cache folder', ({ folders, k6 }) => checkFolder('cache', folders.cache, k6)],
  ['run folders', ({ folders, k6 }) => checkFolder('runs', folders.runs, k6)],
  ['temporary folder', ({ folders, k6 }) => checkFolder('temporary', folders.temporary, k6)],
]

/** A finding for each check, in their order; what this platform does not tell is said not to be checked. */
export function checkMachine(facts: MachineFacts): Finding[] {
  return MACHINE_CHECKS.map(([check, judge]) => ({ check, ...judge(facts) }))
}

/** Node, Go and k6. */
/** Whether Node is a version that this project runs on. */
function checkNode({ node }: Pick<MachineFacts, 'node'>): Judged {
  const needed = node.needed.replace(/^>=\s*/, '')
  const saw = `${node.version}; ${needed} or later is needed`
  if (isAtLeast(node.version.replace(/^v/, ''), needed)) return { verdict: 'ok', saw }
  return {
    verdict: 'problem',
    saw,
    remedy: { text: `Install Node ${needed} or later: https://nodejs.org/en/download` },
  }
}

/** Go is for building k6 alone. */
function checkGo({ go, k6 }: Pick<MachineFacts, 'go' | 'k6'>): Judged {
  const isGood = go.version !== null && isAtLeast(go.version, OLDEST_GO)
  const found = go.version === null ? 'not found' : `${go.version}`
  if (isGood) return { verdict: 'ok', saw: found }
  const old = go.version === null ? found : `${found}, older than ${OLDEST_GO}`
  if (k6.version !== null) return { verdict: 'ok', saw: `${old}; not needed, as k6 is built` }
  if (go.hasPip) return { verdict: 'ok', saw: `${old}; the first run fetches one with pip` }
  return {
    verdict: 'problem',
    saw: `${old}, nor pip, which could fetch one; k6 cannot be built`,
    remedy: { text: REMEDIES },
  }
}

/** Whether there is a k6 with the output `series`, or Go to build one. */
function checkK6({ k6 }: Pick<MachineFacts, 'k6'>): Judged {
  if (k6.version !== null) return { verdict: 'ok', saw: `${k6.version}, with its extensions: ${k6.path}` }
  if (k6.isGiven) {
    return {
      verdict: 'problem',
      saw: `BREAKWATER_K6 names ${k6.isExecutable ? 'no k6 with the extensions of k6/' : 'no executable file'}: ${k6.path}`,
      remedy: {
        text: 'Let it name a k6 that was built in k6/ with `go build -o k6 .`, or unset it.',
        command: 'unset BREAKWATER_K6',
      },
    }
  }
  if (k6.isExecutable) {
    return {
      verdict: 'problem',
      saw: `the one in the cache does not run: ${k6.path}`,
      remedy: { text: 'Remove it; the next run builds it again.', command: `rm ${k6.path}` },
    }
  }
  return {
    verdict: 'warning',
    saw: 'not built yet; the first run does it, in about a minute and a half',
    remedy: {
      text: 'Let a short run build it now.',
      command: "npx breakwater smoke --no-load --rules 'wire.*'",
    },
  }
}
