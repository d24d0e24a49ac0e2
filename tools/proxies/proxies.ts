/** The proxies that are started in front of the stub: how each is found, and how it runs in the foreground with what it is given. */
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findProgram } from '../clients/find-program.ts'
import { type StartedServer, startServer } from '../test/start-server.ts'

export type ProxyName = 'nginx' | 'haproxy'

type Started = { binary: string; folder: string; config: string }

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
export function startProxy(name: ProxyName, started: Started): Promise<StartedServer> {
  return STARTS[name](started)
}

/** In the folder, a line of nginx for each request: `TLSv1.3 HTTP/2.0 200 gzip`, with `-` for what is not there. */
export const WIRE_LOG = 'wire.log'

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

const STARTS: Readonly<Record<ProxyName, (started: Started) => Promise<StartedServer>>> = {
  // As one process, with a file of its `conf.d`.
  nginx: ({ binary, folder, config }) => {
    const main = `
daemon off;
master_process off;
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
    return startServer({ binary, args, folder, ready: /\[notice\] .*: nginx\// })
  },
  // With a master process, which alone says that it listens; its worker ends with it.
  haproxy: ({ binary, folder, config }) => {
    const args = ['-W', '-db', '-f', write(folder, 'haproxy.cfg', config)]
    return startServer({ binary, args, folder, ready: /Loading success/ })
  },
}

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
