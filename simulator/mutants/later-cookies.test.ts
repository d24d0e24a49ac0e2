// Cookies that a client gets with each mutant, and without it.
import { expect, test } from 'vitest'
import { alternativeChoices } from '../choices/alternative-choices.ts'
import type { Choices } from '../choices/choices.ts'
import { defaultChoices } from '../choices/default-choices.ts'
import { createTestBed } from '../exchange/test-bed.ts'
import type { LATER_COOKIE_SYMPTOMS } from './later-cookies.ts'

type Name = keyof typeof LATER_COOKIE_SYMPTOMS
type Attributes = { path?: string; maxAge?: number }
type Change = { cookie: 'access' | 'refresh'; by: ('verify' | 'refresh')[]; attribute: Attributes }

const BOTH: Change['by'] = ['verify', 'refresh']
const CHANGES: Record<Name, Change> = {
  'auth-access-cookie-path-auth': { cookie: 'access', by: BOTH, attribute: { path: '/auth' } },
  'auth-access-cookie-5-min': { cookie: 'access', by: BOTH, attribute: { maxAge: 300 } },
  'auth-refresh-cookie-5-min': { cookie: 'refresh', by: BOTH, attribute: { maxAge: 300 } },
}

const cases = [defaultChoices, alternativeChoices].flatMap((choices) =>
  Object.entries(CHANGES).map(([mutant, change]) => ({
    mutant: mutant as Name, // as: the keys are names
    change,
    choices,
    set: choices.name,
  })),
)

test.each(cases)('$mutant changes one attribute, choices $set', async ({ mutant, change, choices }) => {
  const [whole, broken] = [await readAll(null, choices), await readAll(mutant, choices)]
  for (const by of BOTH) {
    const isChanged = change.by.includes(by)
    for (const cookie of ['access', 'refresh'] as const) {
      const { path, maxAge, ...others } = whole[by][cookie]
      const other = isChanged && cookie === change.cookie ? change.attribute : undefined
      const expected = !other
        ? { path, maxAge }
        : 'maxAge' in other
          ? { path, maxAge: other.maxAge }
          : { path: other.path, maxAge }
      expect(broken[by][cookie]).toEqual({ ...others, ...expected })
    }
    expect(broken[by].names).toEqual(whole[by].names)
  }
})

async function readAll(mutant: Name | null, choices: Choices) {
  const bed = await createTestBed({ mutant, choices })
  const { access, refresh } = choices.profile.cookies
  type Response = Awaited<ReturnType<typeof bed.verify>>
  const read = ({ cookies }: Response) => {
    const find = (wanted: string) => {
      const {
        name,
        value: _,
        ...attributes
      } = cookies.find(({ name }) => name === wanted) ?? {
        name: '',
        value: '',
      }
      return attributes as Attributes & Record<string, unknown> // as: attributes of the cookie
    }
    return { access: find(access), refresh: find(refresh), names: cookies.map(({ name }) => name) }
  }
  const verified = await bed.verify(bed.wallets.trader)
  const token = verified.cookies.find(({ name }) => name === refresh)?.value ?? ''
  const refreshed = await bed.app.inject({
    method: 'POST',
    url: '/auth/refresh',
    cookies: { [refresh]: token },
  })
  return { verify: read(verified), refresh: read(refreshed) }
}
