import { faker } from '@faker-js/faker/locale/en'
import { addressFrom, fieldFrom } from '../chain/identifiers.ts'
import type { TokenDraft } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

/** A wrapper token for a token of another program. The id comes from the stream, so it cannot be derived. */
export function draftToken(
  stream: RandomStream,
  { symbol, name, decimals }: { symbol: string; name: string; decimals: number },
): TokenDraft {
  const secret = Buffer.from(stream.bytes(32)).toString('hex')
  const program = symbol.toLowerCase().replace(/[^a-z0-9]/g, '_')
  return {
    id: fieldFrom(`token/${secret}`),
    address: addressFrom(`token/${secret}`),
    symbol,
    name,
    decimals,
    ammTokenProgram: `wrapped_${program}_${secret.slice(0, 6)}.program`,
    underlyingProgram: `${program}_${secret.slice(0, 6)}.program`,
    underlyingTokenId: fieldFrom(`underlying/${secret}`),
    image: stream.int(0, 3) === 0 ? null : `https://images.example/${secret.slice(0, 12)}.svg`,
  }
}

/**
 * Creates a token with a random name of the kind that the fixture sets. Symbols may repeat, as on any chain. `place`
 * selects the hostile name, so that a world's first tokens cover all of them.
 */
export function draftRandomToken(
  stream: RandomStream,
  { names, decimals }: WorldFixture['tokens'],
  place?: number,
): TokenDraft {
  const named = names === 'hostile' ? makeHostileName(stream, place) : makePlainName(stream)
  return draftToken(stream, { ...named, decimals: stream.pick(decimals) })
}

function makePlainName(stream: RandomStream): TokenName {
  // Reseeded for each name, so that the name depends on the stream only, not on the library's state.
  faker.seed(stream.int(0, 0x7fffffff))
  const name = `${faker.color.human()} ${faker.animal.type()}`.replace(/(^| )./g, (letter) =>
    letter.toUpperCase(),
  )
  const initials = name.replace(/[^A-Za-z]/g, '').toUpperCase()
  return { symbol: initials.slice(0, 1) + initials.slice(-stream.int(2, 4)), name }
}

type TokenName = { symbol: string; name: string }

export const LONG_NAME_LENGTH = 300

/** Names seen in real registries that break clients. Excludes NUL and unpaired surrogates. */
export const HOSTILE_NAMES: Readonly<Record<string, () => TokenName>> = {
  script: () => ({ symbol: '<b>XSS</b>', name: `<script>alert("${faker.company.name()}")</script>` }),
  attribute: () => ({ symbol: '"><img', name: `"><img src=x onerror='alert(1)'>` }),
  entity: () => ({ symbol: '&lt;&#0060;', name: '&lt;i&gt;&amp;amp; Token&lt;/i&gt;' }),
  rightToLeft: () => ({ symbol: 'دولار', name: 'دولار رقمي مستقر שקל' }),
  override: () => ({ symbol: 'BWT\u202eCDSU', name: 'Wrapped \u202enioC DSU\u202c' }),
  long: () => ({ symbol: faker.string.alpha({ length: 40, casing: 'upper' }), name: makeLongName() }),
  emoji: () => ({ symbol: '🚀🌕', name: `👩‍👩‍👧‍👦 ${faker.internet.emoji()} 🏴󠁧󠁢󠁳󠁣󠁴󠁿` }),
  /** The stable token's letters, some of them Cyrillic. */
  lookAlike: () => ({ symbol: 'USD\u0421', name: 'Wrapped USD C\u043e\u0456n' }),
  /** The stable token's exact name. */
  twin: () => ({ symbol: 'USDC', name: 'Wrapped USD Coin' }),
  /** Two spellings of é: look equal, and are equal once normalized. */
  unnormalized: () => ({ symbol: 'CAFE\u0301', name: 'Caf\u00e9 Cafe\u0301' }),
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

/** The name at `place`, or a random one without it. */
function makeHostileName(stream: RandomStream, place?: number): TokenName {
  faker.seed(stream.int(0, 0x7fffffff))
  const make = place === undefined ? stream.pick(MAKERS) : MAKERS[place % MAKERS.length]
  if (!make) throw new RangeError(`no hostile name at ${place}`)
  return make()
}

function makeLongName(): string {
  return `Wrapped ${faker.lorem.words(80)}`.padEnd(LONG_NAME_LENGTH, 'x').slice(0, LONG_NAME_LENGTH)
}
