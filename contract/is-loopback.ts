/** Whether an address is on this machine: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
