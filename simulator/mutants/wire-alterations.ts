import type { Alteration, Body } from '../exchange/alter-answers.ts'
import type { WIRE_MUTANTS } from './wire.ts'

export const WIRE_ALTERATIONS: Readonly<Partial<Record<keyof typeof WIRE_MUTANTS, Alteration>>> = {
  'wire-fee-number': {
    routes: ['GET /pools', 'GET /pools/:key'],
    alter: ({ body }) => {
      for (const pool of recordsOf(body)) pool.fee = Number(pool.fee)
    },
  },
}

/** What a body holds: the rows of a list, or one record. */
function recordsOf({ data }: Body): Record<string, unknown>[] {
  return (Array.isArray(data) ? data : [data]) as Record<string, unknown>[] // as: bodies of this exchange's own making
}
