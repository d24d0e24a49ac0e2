import { faker } from '@faker-js/faker/locale/en'
import type { RandomStream } from '../random.ts'

export type TokenName = { symbol: string; name: string }

export const LONG_NAME_LENGTH = 300

/** What real registries have been seen to hold, and what clients trip over. No NUL, no half of a surrogate pair. */
export const HOSTILE_NAMES: Readonly<Record<string, () => TokenName>> = {
  script: () => ({ symbol: '<b>XSS</b>', name: `<script>alert("${faker.company.name()}")</script>` }),
  attribute: () => ({ symbol: '"><img', name: `"><img src=x onerror='alert(1)'>` }),
  entity: () => ({ symbol: '&lt;&#0060;', name: '&lt;i&gt;&amp;amp; Token&lt;/i&gt;' }),
  rightToLeft: () => ({ symbol: 'دولار', name: 'دولار رقمي مستقر שקל' }),
  override: () => ({ symbol: 'BWT\u202eCDSU', name: 'Wrapped \u202enioC DSU\u202c' }),
  long: () => ({ symbol: faker.string.alpha({ length: 40, casing: 'upper' }), name: longName() }),
  emoji: () => ({ symbol: '🚀🌕', name: `👩‍👩‍👧‍👦 ${faker.internet.emoji()} 🏴󠁧󠁢󠁳󠁣󠁴󠁿` }),
  /** The stable token’s own letters, some of them Cyrillic. */
  lookAlike: () => ({ symbol: 'USD\u0421', name: 'Wrapped USD C\u043e\u0456n' }),
  /** The stable token’s very name. */
  twin: () => ({ symbol: 'USDC', name: 'Wrapped USD Coin' }),
  /** Two ways to write é: equal to the eye, and once normalised. */
  unnormalised: () => ({ symbol: 'CAFE\u0301', name: 'Caf\u00e9 Cafe\u0301' }),
  invisible: () => ({ symbol: '\u200bBWT\ufeff', name: ' \u00a0\u200d\tWrapped\r\nBreakwater\u2028 ' }),
  combining: () => ({ symbol: 'Z\u0337\u0351\u0324', name: `Z${'\u0337\u0351\u0324\u0353'.repeat(40)}algo` }),
  sql: () => ({ symbol: "';--", name: `'; DROP TABLE tokens; -- ${faker.person.lastName()}` }),
  template: () => ({ symbol: '{{7*7}}', name: `\${7*7} <%= 7*7 %> %s%d%n {0}` }),
  path: () => ({ symbol: '../..', name: '../../../../etc/hosts?x=1#y&z=%2e%2e%2f' }),
  formula: () => ({ symbol: '=1+1', name: '=HYPERLINK("https://images.example/","Claim"),@SUM(1)' }),
  property: () => ({ symbol: '__proto__', name: 'constructor' }),
  nothing: () => ({ symbol: 'null', name: 'undefined' }),
  number: () => ({ symbol: '-0', name: '1e309' }),
  quoted: () => ({ symbol: '\\"', name: '\\u0000 \\ "name":"name", \\' }),
  control: () => ({ symbol: '\u0007BEL', name: '\u001b[31mred\u001b[0m \u0085 \u007f' }),
}

const MAKERS = Object.values(HOSTILE_NAMES)

/** One of them; `place` names which, otherwise it is drawn. */
export function hostileName(stream: RandomStream, place?: number): TokenName {
  // Seeded anew for each name: see draftRandomToken.
  faker.seed(stream.int(0, 0x7fffffff))
  const make = place === undefined ? stream.pick(MAKERS) : MAKERS[place % MAKERS.length]
  if (!make) throw new RangeError(`no hostile name at ${place}`)
  return make()
}

function longName(): string {
  return `Wrapped ${faker.lorem.words(80)}`.padEnd(LONG_NAME_LENGTH, 'x').slice(0, LONG_NAME_LENGTH)
}
