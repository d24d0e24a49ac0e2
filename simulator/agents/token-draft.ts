import { faker } from '@faker-js/faker/locale/en'
import type { TokenDraft } from '../chain/event.ts'
import { addressFrom, fieldFrom } from '../chain/identifiers.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { hostileName, type TokenName } from './hostile-names.ts'

/** A wrapper token around a token of another program. Its id comes from the stream, so that nothing can derive it. */
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
 * A token with a name made up as the fixture says. Two may well have the same symbol, as on any chain. `place` picks
 * among hostile names: the first tokens of a world then have them all.
 */
export function draftRandomToken(
  stream: RandomStream,
  { names, decimals }: WorldFixture['tokens'],
  place?: number,
): TokenDraft {
  const named = names === 'hostile' ? hostileName(stream, place) : plainName(stream)
  return draftToken(stream, { ...named, decimals: stream.pick(decimals) })
}

function plainName(stream: RandomStream): TokenName {
  // Seeded anew for each name: all that decides a name is then in the stream, nothing in the library.
  faker.seed(stream.int(0, 0x7fffffff))
  const name = `${faker.color.human()} ${faker.animal.type()}`.replace(/(^| )./g, (letter) =>
    letter.toUpperCase(),
  )
  const initials = name.replace(/[^A-Za-z]/g, '').toUpperCase()
  return { symbol: initials.slice(0, 1) + initials.slice(-stream.int(2, 4)), name }
}
