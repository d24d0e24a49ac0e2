const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  ...Object.fromEntries(['k', 'M', 'G', 'T', 'P', 'E'].map((unit, index) => [unit, 1000 ** (index + 1)])),
  ...Object.fromEntries(
    ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit, index) => [unit, 1024 ** (index + 1)]),
  ),
}

/**
 * Whether a quota has no room for the pods even if nothing else were in the namespace, by its message:
 * `exceeded quota: q, requested: limits.cpu=1, used: limits.cpu=1, limited: limits.cpu=1500m`.
 */
export function isQuotaTooSmall(message: string, pods: number): boolean {
  const requested = amountsOf(message, 'requested')
  const limits = new Map(amountsOf(message, 'limited'))
  return requested.some(([name, amount]) => amount * pods > (limits.get(name) ?? Number.POSITIVE_INFINITY))
}

/** Lists of amounts have no space after a comma; what separates the lists has. */
function amountsOf(message: string, list: 'requested' | 'limited'): [string, number][] {
  const part = message.split(', ').find((one) => one.startsWith(`${list}: `)) ?? ''
  const pairs = part
    .slice(list.length + 2)
    .split(',')
    .map((pair) => pair.split('='))
  return pairs.map(([name = '', amount = '']) => [name, parseQuantity(amount)])
}

/** Reads a quantity as Kubernetes writes it (`1500m`, `2Gi`, `1e3`); NaN if it is not one. */
function parseQuantity(text: string): number {
  const [, digits, unit = ''] = /^([0-9.]+(?:[eE][0-9]+)?)([a-zA-Z]*)$/.exec(text) ?? []
  return Number(digits) * (UNITS[unit] ?? Number.NaN)
}
