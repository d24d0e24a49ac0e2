import { z } from 'zod'
import { FINDINGS_MAX } from '../observer/findings.ts'
import { type Resource, resource } from './resource.ts'

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

const clientName = z.string().describe('A wallet, or a network address and a `User-Agent`')

const findingSchema = z.strictObject({
  number: z.int(),
  atMs: z.int(),
  rule: z.string().describe('Of those that bind clients: see rules.md'),
  client: clientName,
  observed: z.string().describe('What was seen'),
  advice: z.string().describe('What to do'),
  evidence: z.array(entrySchema).describe('Entries of the journal'),
})

const clientSchema = z.strictObject({
  client: clientName,
  firstMs: z.int().describe('When it was first seen'),
  lastMs: z.int().describe('And last'),
  requests: z.int(),
  openSockets: z.int(),
  findings: z.int(),
})

export const findingsSchema = z.strictObject({
  findings: z.array(findingSchema),
  last: z.int().describe('The number of the newest finding of all; 0 where there is none'),
  cases: z
    .record(z.string(), z.int())
    .describe('For each rule how often it was at stake since the stub began'),
  breaches: z
    .record(z.string(), z.int())
    .describe(
      'And how often it was broken: a client that goes on with the same has a finding every ten seconds',
    ),
})

/** What the observer found. */
export const FINDING_RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/findings',
    summary: `What clients do that the specification asks them not to, or do not that it asks for, oldest first. The last ${FINDINGS_MAX.toLocaleString('en')} findings are kept. To follow them, ask for what comes after the last number that was read.`,
    input: pageSchema,
    output: findingsSchema,
    answer({ observer }, page) {
      if (!observer) return { findings: [], last: 0, cases: {}, breaches: {} }
      const { findings, ...rest } = observer.read(page)
      return {
        findings: findings.map(({ evidence, ...more }) => ({ ...more, evidence: [...evidence] })),
        ...rest,
      }
    },
  }),
  resource({
    method: 'GET',
    path: '/clients',
    summary:
      'The clients that the observer knows: those seen last, some hundreds. All programs of one wallet are one client.',
    input: z.strictObject({}),
    output: z.strictObject({ clients: z.array(clientSchema) }),
    answer: ({ observer }) => ({ clients: [...(observer?.clients() ?? [])] }),
  }),
]
