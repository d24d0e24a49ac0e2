/** Names as strangers give them to tokens, targets and routes: each breaks a page that takes it as it is. */
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
