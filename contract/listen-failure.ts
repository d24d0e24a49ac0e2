/** Why an address or a port could not be listened at, in words, and what to do: `host` and `port` are the options for them. */
export function listenFailure(
  cause: unknown,
  options: { host: string; port: string },
): { reason: string; hint: string } {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  return {
    reason: REASONS[code] ?? `cannot listen: ${code}`,
    hint:
      code === 'EADDRNOTAVAIL'
        ? `Name another with ${options.host}; 0.0.0.0 stands for all of them.`
        : `Name another port with ${options.port}, or 0 for any that is free.`,
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken',
  EACCES: 'this user may not listen on the port',
  EADDRNOTAVAIL: 'the host is no address of this machine',
}
