/**
 * Whether a Host header names this machine's loopback. A page of another site can have its own name resolve to loopback
 * (DNS rebinding), but then its name is in this header.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  if (!host || !URL.canParse(`http://${host}`)) return false
  // Normalised: 127.1 reads as 127.0.0.1, and what holds more than host and port differs from itself.
  const url = new URL(`http://${host}`)
  if (url.href !== `http://${url.host}/`) return false
  return LOOPBACK.test(url.hostname)
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
