/**
 * Spellings of an amount that are not canonical: sign, exponent, leading zero, separators, fraction, decimal comma, white
 * space, another base, digits that are not ASCII. All mean the amount itself, so that nothing but the spelling can be
 * refused.
 */
export function notCanonical(amount: string): string[] {
  const grouped = (separator: string) => amount.replace(/\B(?=([0-9]{3})+$)/g, separator)
  const digits = (zero: number) =>
    [...amount].map((digit) => String.fromCodePoint(zero + Number(digit))).join('')
  const spellings = [
    `+${amount}`,
    `-${amount}`,
    `${amount}e0`,
    `${amount}E0`,
    `0${amount}`,
    `${amount}.0`,
    `${amount}.`,
    `${amount},0`,
    ` ${amount}`,
    `${amount} `,
    `\t${amount}`,
    `${amount}\n`,
    `\u00a0${amount}`,
    grouped(','),
    grouped('_'),
    grouped(' '),
    grouped("'"),
    grouped('.'),
    `0x${BigInt(amount).toString(16)}`,
    digits(0x0660),
    digits(0xff10),
  ]
  return [...new Set(spellings)].filter((spelling) => spelling !== amount)
}
