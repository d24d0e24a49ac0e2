import fc from 'fast-check'

/** For tests: texts that attack terminals, logs of CI jobs, and Markdown. */
export const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...pieces()), { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** For tests: control characters but line ends, bidirectional controls, halves of characters. */
export const UNSAFE = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]|\p{Cs}/u

/** For tests: the lines that a CI runner would take for commands. */
export function logCommands(text: string): string[] {
  const lines = text.split('\n')
  return lines.filter((line) => line.trimStart().startsWith('::') || /##(\[|vso\[|teamcity\[)/.test(line))
}

function pieces(): string[] {
  return [
    ...'abc: \t\n\r\v\f\b\u0000\u0007\u001b\u007f\u0085\u009b\u009d\u00a0\u3000[]#;\\"0m`|<>*_~&!$@',
    ...['\u2028', '\u2029', '\u061c', '\u200e', '\u202e', '\u2066', '\u2069', '\ufeff', '\ud83d', '🦀'],
    ...['\u001b]0;title\u0007', '\u001b[31m', '\u001b[2K', '\r\n', '\n\n\n', '  ', '::', '##[', '##vso['],
    ...['breakwater: forged', '::error::x', '##[error]', '##teamcity[message]', '\n# Forged', '| a | b |'],
    ...['</td></table>', '<img src=x>', '```', '](http://x)', 'www.x', '@team', '-->'],
  ]
}
