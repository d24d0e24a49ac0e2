/** Formats a listening address for the URL that local programs use: a wildcard address becomes the loopback. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Checks if an address is on this machine: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/**
 * Checks that a Host header names the loopback. A page of another site can resolve its own name to the loopback (DNS rebinding),
 * but the header then contains that name.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  if (!host || !URL.canParse(`http://${host}`)) return false
  // Normalized: 127.1 becomes 127.0.0.1; anything beyond host and port differs from the normalized form.
  const url = new URL(`http://${host}`)
  if (url.href !== `http://${url.host}/`) return false
  return LOOPBACK.test(url.hostname)
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Returns an address for output: without name and password, and without the query, which may hold a key. Avoids URL, which k6 lacks. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/?#]*@/i, '$1').replace(/[?#][\s\S]*$/, '')
}
