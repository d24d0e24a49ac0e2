import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Profile } from '../../contract/profile.ts'
import { projectPath } from '../../scripts/project.ts'
import type { Deployment } from '../../simulator/choices/choices.ts'
import { createAuthority } from '../../simulator/http/certificates.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import {
  findProgram,
  type ListeningSocket,
  listenOn,
  type StartedServer,
  startServer,
} from '../test/programs.ts'

/** Text of the sample configuration, and its replacement; replaces the first match. */
export type Change = readonly [from: string, to: string]

/** A proxy setup: the page's sample configuration with changes. */
export type SetUp = {
  name: string
  changes: readonly Change[]
  plain?: true
}

/** In a change: the address of a server that accepts connections and never responds. */
export const SILENT = 'SILENT'

export type Behind = {
  stub: Stub
  /** Environment of commands with `--target profile.json` in the folder. */
  env: NodeJS.ProcessEnv
  writeProfile(more?: Partial<Profile>): void
  close(): Promise<void>
}

/** Hosts of REST and the feed: a name and an address, both on the loopback. */
const [REST, FEED] = ['localhost', '127.0.0.2']
const BASE_PATH = '/api/v1'
const FEED_PATH = '/live'
/** Too high for most probes, but low enough for the one that exceeds it. */
const RATE_LIMIT = { burst: 400, perSecond: 50, per: 'credential' } as const

/**
 * Starts a stub behind a proxy with the setup's configuration, and writes the target profile and its files to the folder. Clients
 * request gzip, like browsers. Throws if a change does not fit the sample.
 */
export async function startBehindProxy(options: {
  setUp: SetUp
  proxy: ProxyName
  binary: string
  folder: string
  mutant?: MutantName | null
  deployment?: Partial<Deployment>
}): Promise<Behind> {
  const { setUp, proxy: name, binary, folder, mutant = null, deployment = {} } = options
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant,
    pace: 'real',
    rateLimit: RATE_LIMIT,
    deployment,
  })
  // HAProxy resets a connection whose response is late.
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  const [rest, feed] = [await listenOn('127.0.0.1'), await listenOn(FEED)]
  const bind = (host: string, { port }: ListeningSocket, fd: number) =>
    name === 'haproxy' ? `fd@${fd}` : `${host}:${port}`
  const ca = await writeCertificates(folder)
  const at = silent.address()
  const config = [
    ...setUp.changes,
    [/(?<=listen |bind ):?443/, bind('127.0.0.1', rest, 3)] as const,
    [/(?<=listen |bind ):?443/, bind(FEED, feed, 4)] as const,
    ['127.0.0.1:8080', new URL(stub.profile.baseUrl).host] as const,
    ['127.0.0.1:8081', new URL(stub.profile.wsUrl).host] as const,
  ]
    .reduce(change, readSample(name))
    .replaceAll('/etc/ssl/', `${folder}/`)
    .replaceAll(SILENT, typeof at === 'object' && at !== null ? `127.0.0.1:${at.port}` : '')
  const closeServers = async () => {
    silent.close()
    await stub.close()
  }
  const proxy = await startProxy(name, { binary, folder, config, sockets: [rest, feed] }).catch(
    async (error: unknown) => {
      await closeServers()
      throw error
    },
  )
  const s = setUp.plain ? '' : 's'
  const writeProfile = (more: Partial<Profile> = {}) => {
    const profile: Profile = {
      ...stub.profile,
      name: setUp.name,
      baseUrl: `http${s}://${REST}:${rest.port}${BASE_PATH}`,
      wsUrl: `ws${s}://${FEED}:${feed.port}${FEED_PATH}`,
      ca: setUp.plain ? null : ca,
      headers: { 'Accept-Encoding': 'gzip' },
      credentials: { ...stub.profile.credentials, wallets: 'wallets.json' },
      ...more,
    }
    writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile))
  }
  writeProfile()
  writeFileSync(join(folder, 'wallets.json'), JSON.stringify(stub.wallets), { mode: 0o600 })
  return {
    stub,
    env: {
      ...process.env,
      BREAKWATER_API_TOKENS: stub.apiTokens.join(','),
      BREAKWATER_CONTROL_TOKEN: stub.controlToken,
    },
    writeProfile,
    async close() {
      await proxy.close()
      await closeServers()
    },
  }
}

function readSample(language: ProxyName): string {
  const page = readFileSync(projectPath('docs/guides/behind-a-proxy.md'), 'utf8')
  const [, sample] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? []
  if (sample === undefined)
    throw new Error(`docs/guides/behind-a-proxy.md has no configuration of ${language}`)
  return sample
}

function change(config: string, [from, to]: readonly [from: string | RegExp, to: string]): string {
  const changed = config.replace(from, () => to)
  if (changed === config) throw new Error(`the sample configuration has no ${from}`)
  return changed
}

/** Creates a CA and certificates: `ca.pem` to trust, and the files that the sample expects in /etc/ssl. */
async function writeCertificates(folder: string): Promise<string> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) }
  const authority = await createAuthority({ name: 'Test CA', ...validity })
  const { cert, key } = await authority.issue({ names: [REST, FEED], ...validity })
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, authority.pem)
  writeFileSync(join(folder, 'exchange.pem'), cert)
  writeFileSync(join(folder, 'exchange.key'), key, { mode: 0o600 })
  writeFileSync(join(folder, 'exchange-and-key.pem'), cert + key, { mode: 0o600 })
  return ca
}

const DAY_MS = 24 * 60 * 60 * 1000

export type ProxyName = 'nginx' | 'haproxy'

/** The proxy inherits the listening sockets as descriptors 3 and 4. */
type Started = { binary: string; folder: string; config: string; sockets: readonly ListeningSocket[] }

export const REMEDIES: Readonly<Record<ProxyName, string>> = {
  nginx: 'Install it (Debian: nginx-light), or name one in BREAKWATER_NGINX.',
  haproxy: 'Install it (Debian: haproxy), or name one in BREAKWATER_HAPROXY.',
}

/** The program in BREAKWATER_NGINX or BREAKWATER_HAPROXY, else the first on the PATH or in /usr/sbin, where Debian has both. */
export function findProxy(name: ProxyName, env: NodeJS.ProcessEnv): string | undefined {
  const PATH = [env.PATH, '/usr/sbin'].join(delimiter)
  return env[`BREAKWATER_${name.toUpperCase()}`] || findProgram([name], { PATH })
}

/** Starts a proxy with the page's configuration, and resolves when it listens. It only writes to the folder. */
function startProxy(name: ProxyName, started: Started): Promise<StartedServer> {
  return STARTS[name](started)
}

/** A line of nginx for each request, such as `TLSv1.3 HTTP/2.0 200 gzip`, with `-` for missing values. */
export const WIRE_LOG = 'wire.log'

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const STARTS: Readonly<Record<ProxyName, (started: Started) => Promise<StartedServer>>> = {
  // Uses a `conf.d` file. A single process without a master crashes on inherited sockets.
  nginx: ({ binary, folder, config, sockets }) => {
    const main = `
daemon off;
user ${userInfo().username};
pid nginx.pid;
error_log stderr notice;
events { worker_connections 2048; }
http {
log_format wire '$ssl_protocol $server_protocol $status $sent_http_content_encoding';
access_log ${WIRE_LOG} wire;
${TEMPORARY.map((name) => `${name}_temp_path ${name}_temp;`).join('\n')}
${config}
}
`
    const file = write(folder, 'nginx.conf', main)
    const args = ['-p', folder, '-c', file, '-e', 'stderr']
    // The first notice comes once all sockets listen. They are passed as nginx does for an upgrade of itself.
    const env = { ...process.env, NGINX: '3;4;' }
    return startServer({ binary, args, folder, sockets, env, ready: /\[notice\] .*: nginx\// })
  },
  // Only a master process reports that it listens; its worker exits with it.
  haproxy: ({ binary, folder, config, sockets }) => {
    const args = ['-W', '-db', '-f', write(folder, 'haproxy.cfg', config)]
    return startServer({ binary, args, folder, sockets, ready: /Loading success/ })
  },
}

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
