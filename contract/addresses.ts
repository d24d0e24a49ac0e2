/** How a program of this machine calls an address that it listens at: one that stands for all of them is reached on the machine itself. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Whether an address is on this machine: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** An address as it may be shown: without a name and password, and without a query, which may hold a key. Free of URL, for k6. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:[\\/]*|[\\/]{2,})[^\\/?#]*@/i, '$1').replace(/[?#][\s\S]*$/, '')
}
