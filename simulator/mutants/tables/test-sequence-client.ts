/** For tests of mutants that need a sequence: a client that takes its steps, and the check of what it sees. */
import { expect } from 'vitest'
import type { DemoWallet } from '../../auth/wallets.ts'
import { createTestBed, readCookies, type SignedIn, type TestBed } from '../../exchange/test-bed.ts'
import { createTestWorld } from '../../exchange/test-world.ts'
import type { MutantName } from '../mutants.ts'

export type Row = {
  mutant: MutantName
  /** Needs blocks. */
  mines?: true
  /** The shortest sequence; returns what the client sees. */
  show: (client: Client) => Promise<unknown>
  right: unknown
  wrong: unknown
}

export async function expectSequence({ mutant, mines, show, right, wrong }: Row): Promise<void> {
  expect(await show(await createClient({ mutant: null, mines }))).toEqual(right)
  expect(await show(await createClient({ mutant, mines }))).toEqual(wrong)
}

type Client = Awaited<ReturnType<typeof createClient>>
type Token = { id: string; token: string }
async function createClient({ mutant, mines }: { mutant: MutantName | null; mines: true | undefined }) {
  const world = mines && createTestWorld()
  const bed: TestBed = await createTestBed({ mutant, ...(world && { world }) })
  const bot = bed.bearer()
  const post = async (path: string, me: SignedIn | undefined) =>
    (await bed.call(path, { ...me, method: 'POST' })).statusCode
  /** Sends the refresh cookie alone; keeps the new cookies. */
  const refresh = async (me: SignedIn) => {
    const response = await bed.call('/auth/refresh', {
      method: 'POST',
      cookies: { refresh: me.cookies.refresh ?? '' },
    })
    if (response.statusCode === 200) Object.assign(me.cookies, readCookies(response))
    return response.statusCode
  }
  const statusOf = async (call: object) => (await bed.app.inject({ url: '/swaps', ...call })).statusCode
  return {
    bed,
    mine: () => world?.mine(),
    signIn: (wallet?: DemoWallet) => bed.signIn(wallet),
    signInTimes: async (count: number) => {
      const all: SignedIn[] = []
      for (let number = 0; number < count; number++) all.push(await bed.signIn())
      return all as [SignedIn, SignedIn, SignedIn, SignedIn, SignedIn] // as: at most five are used
    },
    post,
    refresh,
    /** Refreshes with one cookie at once; keeps the cookies of the winner. */
    race: async (me: SignedIn, count: number) => {
      const tabs = Array.from({ length: count }, () => copy(me))
      const found = await Promise.all(tabs.map(refresh))
      Object.assign(me.cookies, tabs[found.indexOf(200)]?.cookies)
      return found
    },
    reads: (me: SignedIn) => statusOf({ cookies: me.cookies }),
    readsWith: (token: Token | undefined) =>
      statusOf({ headers: { authorization: `Bearer ${token?.token}` } }),
    read: async (url: string) => (await bed.app.inject({ url, ...bot })).json(),
    statuses: async (urls: readonly string[]) => {
      const found: number[] = []
      for (const url of urls) found.push((await bed.app.inject({ url, ...bot })).statusCode)
      return found
    },
    listSessions: async (me: SignedIn): Promise<string[]> =>
      (await bed.call('/auth/sessions', me)).json().data.map(({ id }: { id: string }) => id),
    createTokens: async (me: SignedIn, count: number) => {
      const made: Token[] = []
      for (let number = 0; number < count; number++)
        made.push(
          (await bed.call('/api-tokens', { ...me, method: 'POST', body: { name: 'bot' } })).json().data,
        )
      return made
    },
    revokeToken: (me: SignedIn, token: Token | undefined) =>
      bed.call(`/api-tokens/${token?.id}`, { ...me, method: 'DELETE' }),
    listTokens: async (me: SignedIn): Promise<object[]> => {
      const rows: { name: string }[] = (await bed.call('/api-tokens', me)).json().data
      // The first one is the test bed's.
      return rows.filter((_row, index) => index > 0)
    },
  }
}

/** The same session in another tab. */
export function copy(me: SignedIn): SignedIn {
  return { ...me, cookies: { ...me.cookies } }
}
