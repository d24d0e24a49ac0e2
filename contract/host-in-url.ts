/** How a program of this machine calls an address that it listens at: one that stands for all of them is reached on the machine itself. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
