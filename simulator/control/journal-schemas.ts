import { z } from 'zod'

export const kindSchema = z.enum(['request', 'control', 'socket', 'fault'])

export const entrySchema = z.looseObject({
  number: z.int(),
  atMs: z.int(),
  kind: kindSchema,
})

/** What else stands in an entry. */
export const ENTRY_KINDS = [
  '`request`: `ref` as in error bodies, `method`, `route`, `status`, `code` of an error, `retryAfterMs` that it was told, `client` and the kind of its `credential`',
  '`control`: `method`, `route`, `status`, `code`, `input`',
  '`socket`: its number and `event`: `opened`; `frame`, that came, with `action`, `room`, `outcome`, `refused`; `sent`, a control or an announced `revision`; `ending`, by the exchange; `closed`, with `closeCode` and `by` whom',
  '`fault`: a decision of an injected fault: its name, its `place` in the plan, `decision` (its number), `acts`, and what it was `on`',
].join('; ')

/** To follow what is numbered. */
export const pageSchema = z.strictObject({
  after: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0).describe('0 where it is left out'),
  limit: queryInteger({ min: 1, max: 1000 }).default(100).describe('100 where it is left out'),
})

/** A number in a query, from 0 on, as plain digits: described as an integer, parsed to one. */
function queryInteger({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, 'expected plain digits')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
}
