import { z } from 'zod'
import { FINDINGS_MAX } from '../observer/findings.ts'
import { entrySchema, pageSchema } from './journal-schemas.ts'
import { type Resource, resource } from './resource.ts'

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
