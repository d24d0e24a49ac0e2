import fc from 'fast-check'

/** For tests: texts that attack terminals, CI logs and Markdown. */
export const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...pieces()), { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** For tests: control characters except line ends, bidirectional controls, lone surrogates. */
export const UNSAFE = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]|\p{Cs}/u

/** For tests: lines that a CI runner would run as commands. */
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

/** Hostile names of tokens, targets and routes; each breaks a page that does not escape it. */
export const HOSTILE_NAMES = {
  markup: '<img src=x onerror=alert(1)><b>bold</b>&amp;<!--',
  'end of script': '</script><script>alert(2)</script>',
  'end of style and title': '</style></title><style>*{display:none}</style>',
  quotes: `" onmouseover="alert(3)' \` \${alert(4)}`,
  'right to left': '\u202egnp.evil\u202c \u2067txet\u2069 \u200f',
  'control characters': 'nul \0 bell \u0007 escape \u001b[31m line \u2028 end \r\n tab \t',
  'half of a character': 'lone \ud800 and \udc00',
  long: 'W'.repeat(300),
  emoji: '🦄👩‍👩‍👧‍👦🏴‍☠️ ﷽ Z̷̢͝a̶l̵g̷o̸',
  'address of script': 'javascript:alert(5)//https://evil.test',
} as const
