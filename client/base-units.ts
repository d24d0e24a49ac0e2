/**
 * What a user has typed, in base units: ASCII digits, without a sign, an exponent or a leading zero. Groups of thousands
 * may be set off by commas or spaces, as people write them; the exchange takes none of that.
 */
export function baseUnits(typed: string, decimals: number): string {
  const plain = typed.trim().replace(/(?<=\d)[, ](?=\d{3})/g, '')
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
  if (whole === undefined) throw new Error(`${JSON.stringify(typed)} is not an amount`)
  if (fraction.length > decimals) throw new Error(`${typed} has more than ${decimals} decimals`)
  return String(BigInt(whole + fraction.padEnd(decimals, '0')))
}
