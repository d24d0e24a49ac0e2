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

/** Returns an address for output: without name and password, and without the query, which may hold a key. Avoids URL, which k6 lacks. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/?#]*@/i, '$1').replace(/[?#][\s\S]*$/, '')
}
