/**
 * A regular expression for the integers from 1 to `max` in plain digits, no others: what a JSON schema has in place of bounds
 * where a number comes as text. One alternative for each digit in which a number may first be below `max`.
 */
export function digitsPattern(max: bigint): string {
  const digits = String(max)
  const shorter = digits.length > 1 ? [`[1-9]${repeated('[0-9]', digits.length - 2, 'at most')}`] : []
  const below = [...digits].flatMap((digit, place) => {
    const least = place === 0 ? 1 : 0
    const most = Number(digit) - 1
    if (most < least) return []
    const choice = most === least ? String(least) : `[${least}-${most}]`
    return [`${digits.slice(0, place)}${choice}${repeated('[0-9]', digits.length - place - 1)}`]
  })
  return `^(${[...shorter, ...below, digits].join('|')})$`
}

function repeated(piece: string, times: number, how: 'exactly' | 'at most' = 'exactly'): string {
  if (times === 0) return ''
  if (how === 'at most') return `${piece}{0,${times}}`
  return times === 1 ? piece : `${piece}{${times}}`
}
