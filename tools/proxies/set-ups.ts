import { type Change, type SetUp, SILENT } from './behind-proxy.ts'
import type { ProxyName } from './proxies.ts'

export type SetUps = {
  /** Behind these a correct exchange is judged as it is without a proxy. */
  healthy: readonly SetUp[]
  /** These make trouble: they leave rules open, and fail none. */
  troubled: readonly SetUp[]
}

/** Nothing listens there. */
const NOBODY = '127.0.0.1:1'

/** The samples as they are. */
export const SAMPLE: SetUp = { name: 'the sample', changes: [] }

/** The header Date is that of nginx, whose clock is another one. */
export const OWN_DATE: SetUp = {
  name: 'nginx sends its own Date',
  changes: [['proxy_pass_header Date;', '']],
}

/** Whether a set-up is tried in CI too, and not only by `npm run nightly`: one of each kind is. */
export function inCi({ nightly }: SetUp): boolean {
  return nightly !== true
}

export const NGINX: SetUps = {
  healthy: [
    { name: 'TLS 1.2 alone', changes: [['TLSv1.2 TLSv1.3', 'TLSv1.2']] },
    { name: 'TLS 1.3 alone', changes: [['TLSv1.2 TLSv1.3', 'TLSv1.3']], nightly: true },
    {
      name: 'neither TLS nor HTTP/2',
      changes: [
        [' ssl http2;', ';'],
        [' ssl;', ';'],
      ],
      plain: true,
    },
    {
      name: 'HTTP/1.1, each response with Connection: close',
      changes: [
        ['ssl http2;', 'ssl;'],
        ['65s', '0'],
      ],
    },
    {
      name: 'HTTP/2, a GOAWAY after ten requests',
      changes: [['keepalive_requests  1000', 'keepalive_requests 10']],
    },
    {
      name: 'HTTP/2, a GOAWAY after 50 ms of quiet',
      changes: [['keepalive_timeout   65s', 'keepalive_timeout 50ms']],
      nightly: true,
    },
  ],
  troubled: [
    { name: 'one backend in ten is down: 502', changes: oneInTenOfNginx(NOBODY) },
    { name: 'one backend in ten is silent: 504', changes: oneInTenOfNginx(SILENT), nightly: true },
    {
      name: 'sockets are cut after 2 s of silence',
      changes: [['proxy_read_timeout 75s', 'proxy_read_timeout 2s']],
    },
  ],
}

const HAPROXY: SetUps = {
  healthy: [
    { name: 'TLS 1.2 alone', changes: everyBind('ssl-max-ver TLSv1.2') },
    { name: 'TLS 1.3 alone', changes: everyBind('ssl-min-ver TLSv1.3') },
    {
      name: 'HTTP/1.1, each response with Connection: close',
      changes: [
        ['alpn h2,http/1.1', 'alpn http/1.1'],
        ['mode http', 'mode http\n    option httpclose'],
      ],
    },
    {
      name: 'HTTP/2, a GOAWAY after a second of quiet',
      changes: [['timeout client  65s', 'timeout client 65s\n    timeout http-keep-alive 1s']],
    },
  ],
  troubled: [
    { name: 'one backend in ten is down: 503', changes: oneInTenOfHaproxy(NOBODY) },
    { name: 'one backend in ten is silent: 504', changes: oneInTenOfHaproxy(SILENT) },
    { name: 'sockets are cut after 2 s of silence', changes: [['timeout tunnel  75s', 'timeout tunnel 2s']] },
  ],
}

/** Of each proxy, all that is tried besides the sample. */
export const SET_UPS: Readonly<Record<ProxyName, SetUps>> = { nginx: NGINX, haproxy: HAPROXY }

/** One backend in ten is `server`; nginx would hide it behind the other one, and then leave it out. */
function oneInTenOfNginx(server: string): readonly Change[] {
  const [good, bad] = ['server 127.0.0.1:8080 weight=9 max_fails=0;', `server ${server} max_fails=0;`]
  return [
    ['server 127.0.0.1:8080;', `${good}\n    ${bad}`],
    ['proxy_read_timeout 8s;', 'proxy_read_timeout 500ms;\n        proxy_next_upstream off;'],
  ]
}

function oneInTenOfHaproxy(server: string): readonly Change[] {
  const [good, bad] = ['server rest1 127.0.0.1:8080 weight 9', `server rest2 ${server} weight 1`]
  return [
    ['server rest1 127.0.0.1:8080', `retries 0\n    ${good}\n    ${bad}`],
    ['timeout server  8s', 'timeout server 500ms'],
  ]
}

/** Of the two frontends. */
function everyBind(versions: string): readonly Change[] {
  const change: Change = ['ssl-min-ver TLSv1.2', versions]
  return [change, change]
}
