/** Explains what a target did instead of what a run needs, and what to change. Shared by `doctor` and all commands. */
import { shownAddress } from '../../contract/addresses.ts'
import type { TargetResponse } from './request-target.ts'

export type Explained = { saw: string; remedy: string }

export type AddressField = 'baseUrl' | 'wsUrl' | 'metrics'

/** Why a target did not respond; no `remedy` if the cause is unknown. */
export function explainError(
  cause: unknown,
  { field, hasCa, timeoutMs }: { field: AddressField; hasCa: boolean; timeoutMs: number },
): { saw: string; remedy?: string } {
  const { name, message, code = '', errors } = cause as NetworkError // as: an error of node:http or node:tls
  if (name === 'AbortError') return { saw: `no response in ${timeoutMs / 1000} s` }
  // OpenSSL's messages contain numbers, file names and a line break, and some have no code.
  const [, tls = ''] = /SSL routines:[^:]*:([^:]+)/.exec(message) ?? []
  const [, explain] = TLS_ERRORS.find(([said]) => said.test(code) || said.test(tls)) ?? []
  if (explain) return explain({ field, hasCa, error: cause as NetworkError }) // as: said above
  if (tls !== '') return { saw: `TLS: ${tls}` }
  // A name with several addresses gives one error each and no message of its own.
  return { saw: message || errors?.map((error) => error.message).join(', ') || code }
}

type NetworkError = NodeJS.ErrnoException & {
  errors?: Error[]
  /** For a certificate with another name: the requested host, and the certificate's names. */
  host?: string
  cert?: { subjectaltname?: string }
}

type TlsContext = { field: AddressField; hasCa: boolean; error: NetworkError }

/**
 * By error code or OpenSSL's message; the first match counts.
 * https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const TLS_ERRORS: readonly (readonly [said: RegExp, explain: (context: TlsContext) => Explained])[] = [
  [
    /^CERT_HAS_EXPIRED$/,
    () => ({ saw: 'the certificate has expired', remedy: 'Renew the certificate of the target.' }),
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    () => ({
      saw: 'the certificate is not valid yet',
      remedy: 'Check the clock of this machine; if it is right, renew the certificate of the target.',
    }),
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ field, error: { host = 'this host', cert } }) => ({
      saw: `the certificate is for ${formatNames(cert?.subjectaltname)}, not for ${host}`,
      remedy: `Use a host name in ${field} of the profile that the certificate is for, or have one issued for ${host}.`,
    }),
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_SIGNATURE_FAILURE)$/,
    ({ hasCa, error }) => ({
      saw: error.code?.includes('DEPTH_ZERO')
        ? 'the certificate is self-signed, and not trusted here'
        : 'the certificate is signed by an authority that is not trusted here',
      remedy: hasCa
        ? 'The file that `ca` of the profile names does not have the authority that signed it. Put its certificate there, in PEM form.'
        : 'Put the certificate of that authority into a file, in PEM form, and name the file in `ca` of the profile.',
    }),
  ],
  [
    /^(wrong version number|packet length too long|http request)$/,
    ({ field }) => ({
      saw: 'it responds, but not with TLS',
      remedy: `If it speaks plain HTTP, write ${field === 'wsUrl' ? 'ws://' : 'http://'} in ${field} of the profile; otherwise correct the port.`,
    }),
  ],
  [
    /(alert protocol version|^unsupported protocol|^version too low|^no protocols available)$/,
    () => ({
      saw: 'it speaks neither TLS 1.2 nor TLS 1.3',
      remedy: 'Allow TLS 1.2 or 1.3 on the target: k6 and Breakwater use no older version.',
    }),
  ],
]

function formatNames(subjectaltname: string | undefined): string {
  return subjectaltname?.replaceAll(/\b(DNS|IP Address):/g, '') ?? 'other names'
}

export function explainTls(field: AddressField): Explained {
  return {
    saw: 'it speaks TLS, not plain HTTP',
    remedy: `Write ${field === 'wsUrl' ? 'wss://' : 'https://'} in ${field} of the profile.`,
  }
}

/** Explains a failed upgrade; null: a socket opened, or the server is busy (429, 503), which probes judge. */
export function explainUpgrade({
  status,
  location,
}: Pick<TargetResponse, 'status' | 'location'>): Explained | null {
  if (status === 101 || BUSY.includes(status)) return null
  const { remedy } = UPGRADES.find(({ from, to }) => status >= from && status <= to) ?? OTHER_UPGRADE
  const to = location === null ? '' : ` to ${shownAddress(location)}`
  return { saw: `it responds ${status}${to} to an upgrade; expected 101`, remedy }
}

const BUSY: readonly number[] = [429, 503]

const OTHER_UPGRADE = {
  remedy:
    'Check wsUrl of the profile: the URL without /ws. A proxy must forward the headers Upgrade and Connection.',
}

const UPGRADES: readonly { from: number; to: number; remedy: string }[] = [
  {
    from: 200,
    to: 299,
    remedy:
      'This is not a WebSocket server: correct wsUrl of the profile, or make the proxy forward the headers Upgrade and Connection.',
  },
  {
    from: 300,
    to: 399,
    remedy:
      'Set wsUrl of the profile to the redirect target, without /ws: WebSockets do not follow redirects.',
  },
  {
    from: 401,
    to: 403,
    remedy:
      'If the WebSocket requires an Origin or another header, set `origin` or `headers` of the profile.',
  },
  {
    from: 500,
    to: 599,
    remedy:
      'A proxy responds, but not the WebSocket server behind it: check that the server is running and that the proxy has its address.',
  },
]

/**
 * Explains HTML instead of JSON; null: not HTML, or a server error (5xx) or missing authentication, which probes judge.
 */
export function explainPage({
  status,
  contentType,
}: Pick<TargetResponse, 'status' | 'contentType'>): Explained | null {
  if (!contentType.includes('html') || status >= 500 || PASSED_ON.includes(status)) return null
  return {
    saw: `it responds ${status} with an HTML page; expected JSON`,
    remedy:
      'A proxy or web app responds, not the exchange: correct baseUrl of the profile, including the path before the routes.',
  }
}

const PASSED_ON: readonly number[] = [401, 403, 429]
