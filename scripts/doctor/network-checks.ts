/** Ports to listen on, and what sockets a load may hold. */
import type { Judged } from './finding.ts'
import type { MachineFacts } from './machine-facts.ts'

/** Clients at a time unless --max-vus says otherwise; each holds a connection, and perhaps a socket of the feed. */
const VUS = 2000
const SOCKETS = 2 * VUS
/** Files that k6 has open without any socket. */
const FILES_BESIDE_SOCKETS = 50

/** Whether the ports that `breakwater stub` takes by default are free. */
export function checkPorts({ ports }: Pick<MachineFacts, 'ports'>): Judged {
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
export function checkEphemeralPorts({
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
export function checkOpenFiles({
  openFilesMax,
  platform,
}: Pick<MachineFacts, 'openFilesMax' | 'platform'>): Judged {
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
