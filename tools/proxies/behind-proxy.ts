import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Profile } from '../../contract/profile.ts'
import { projectPath } from '../../scripts/project.ts'
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

/** What the sample configuration has, and what to have instead; the first place counts. */
export type Change = readonly [from: string, to: string]

/** One way to set up a proxy: the sample configuration of the page, changed. */
export type SetUp = {
  name: string
  changes: readonly Change[]
  /** Without TLS. */
  plain?: true
}

/** In a change, the address of a server that takes connections and never responds. */
export const SILENT = 'SILENT'

export type Behind = {
  stub: Stub
  /** What a command line needs besides `--target profile.json` in the folder. */
  env: NodeJS.ProcessEnv
  /** Writes the profile again, with other fields. */
  writeProfile(more?: Partial<Profile>): void
  close(): Promise<void>
}

/** The hosts of REST and of the feed: a name and an address, both of the loopback. */
const [REST, FEED] = ['localhost', '127.0.0.2']
const BASE_PATH = '/api/v1'
const FEED_PATH = '/live'
/** Out of the way of probes, and such that one of them can go over it. */
const RATE_LIMIT = { burst: 400, perSecond: 50, per: 'credential' } as const

/**
 * Starts a stub, and a proxy in front of it with the page's sample configuration as the set-up changes it; in the folder are the target
 * profile, `profile.json`, and what it names. Clients ask for gzip, as browsers do. Throws if a change does not fit the sample.
 */
export async function startBehindProxy(options: {
  setUp: SetUp
  proxy: ProxyName
  /** The program. */
  binary: string
  folder: string
  mutant?: MutantName | null
}): Promise<Behind> {
  const { setUp, proxy: name, binary, folder, mutant = null } = options
  const stub = await startStub({
    world: 'tiny',
    seed: 7,
    mutant,
    pace: 'real',
    rateLimit: RATE_LIMIT,
  })
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
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
    .reduce(change, sampleOf(name))
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

/** The page's sample in that language. */
function sampleOf(language: ProxyName): string {
  const page = readFileSync(projectPath('docs/behind-a-proxy.md'), 'utf8')
  const [, sample] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(page) ?? []
  if (sample === undefined) throw new Error(`docs/behind-a-proxy.md has no configuration of ${language}`)
  return sample
}

function change(config: string, [from, to]: readonly [from: string | RegExp, to: string]): string {
  const changed = config.replace(from, () => to)
  if (changed === config) throw new Error(`the sample configuration has no ${from}`)
  return changed
}

/** Of an authority of its own: `ca.pem` to trust, and what the sample names in /etc/ssl. */
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

/** The proxies that are started in front of the stub: how each is found, and how it runs in the foreground with what it is given. */
export type ProxyName = 'nginx' | 'haproxy'

/** The proxy listens on the sockets: it inherits them as descriptors 3 and 4. */
type Started = { binary: string; folder: string; config: string; sockets: readonly ListeningSocket[] }

/** What to do if one is not found. */
export const REMEDIES: Readonly<Record<ProxyName, string>> = {
  nginx: 'Install it (Debian: nginx-light), or name one in BREAKWATER_NGINX.',
  haproxy: 'Install it (Debian: haproxy), or name one in BREAKWATER_HAPROXY.',
}

/** The program that BREAKWATER_NGINX or BREAKWATER_HAPROXY names, else the first on the PATH or in /usr/sbin, where Debian has both. */
export function findProxy(name: ProxyName, env: NodeJS.ProcessEnv): string | undefined {
  const PATH = [env.PATH, '/usr/sbin'].join(delimiter)
  return env[`BREAKWATER_${name.toUpperCase()}`] || findProgram([name], { PATH })
}

/** Starts a proxy with a configuration as the page prints it, and resolves when it listens; it writes to the folder alone. */
function startProxy(name: ProxyName, started: Started): Promise<StartedServer> {
  return STARTS[name](started)
}

/** In the folder, a line of nginx for each request: `TLSv1.3 HTTP/2.0 200 gzip`, with `-` for what is not there. */
export const WIRE_LOG = 'wire.log'

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const STARTS: Readonly<Record<ProxyName, (started: Started) => Promise<StartedServer>>> = {
  // With a file of its `conf.d`. A single process without a master crashes on inherited sockets.
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
    // The first notice, which comes once all sockets listen.
    // As nginx hands its sockets to the next version of itself.
    const env = { ...process.env, NGINX: '3;4;' }
    return startServer({ binary, args, folder, sockets, env, ready: /\[notice\] .*: nginx\// })
  },
  // With a master process, which alone says that it listens; its worker ends with it.
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
