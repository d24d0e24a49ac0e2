/** Compares responses of a stub with a mutant to those of the correct stub. */
import { alternativeChoices } from '../../choices/alternative-choices.ts'
import type { Choices } from '../../choices/choices.ts'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createTestBed, type TestBed } from '../../exchange/test-bed.ts'
import { tokenBySymbol } from '../../exchange/test-world.ts'
import type { MutantName } from '../mutants.ts'
import type { Fields } from '../reactions.ts'

export type Answer = { status: number; rows: Fields[]; total: unknown; body: Fields }
export type Read = (path: string) => Promise<Answer>
/** Compares reads of the correct stub with reads of the mutant. */
export type Check = (whole: Read, broken: Read, bed: TestBed) => Promise<unknown>

export const sets = [defaultChoices, alternativeChoices]

/** The checks of all mutants under each set of choices, for `test.each`. */
export async function listCases(checks: Partial<Record<MutantName, Check>>) {
  const wholes = await Promise.all(
    sets.map(async (choices) => ({ choices, whole: await reader(null, choices) })),
  )
  return wholes.flatMap(({ choices, whole }) =>
    Object.entries(checks).map(([mutant, check]) => ({
      mutant: mutant as MutantName, // as: the keys are names
      set: choices.name,
      check: async () => {
        const broken = await reader(mutant as MutantName, choices)
        await check(whole.read, broken.read, broken.bed)
      },
    })),
  )
}

/** The path of a route over two pools. */
export function routed({ views, choices }: TestBed, amount = '1000'): string {
  const [from, to] = ['BWT', 'T2'].map((symbol) =>
    encodeURIComponent(choices.wire.tokenId.encode(tokenBySymbol(views, symbol).id)),
  )
  return `/route?token_in=${from}&token_out=${to}&amount_in=${encodeURIComponent(amount)}`
}

async function reader(mutant: MutantName | null, choices: Choices): Promise<{ bed: TestBed; read: Read }> {
  const bed = await createTestBed({ mutant, choices })
  const headers = bed.bearer().headers
  const read: Read = async (path) => {
    // Bypasses the request helper of the test bed, which checks responses against their documented statuses.
    const { statusCode: status, body: text } = await bed.app.inject({ url: path, headers })
    const body = JSON.parse(text.replace(/"ref":"[^"]*"/, '"ref":""'))
    return { status, rows: body.data, total: body.pagination?.total, body }
  }
  return { bed, read }
}
