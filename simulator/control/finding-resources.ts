import { z } from 'zod'
import { FINDINGS_MAX } from '../observer/findings.ts'
import { type Resource, resource } from './resource.ts'

export const kindSchema = z.enum(['request', 'upgrade', 'control', 'socket', 'fault'])

export const entrySchema = z.looseObject({
  number: z.int(),
  atMs: z.int(),
  kind: kindSchema,
})

export const ENTRY_KINDS = [
  '`request`: `ref` as in error bodies, `method`, `route`, `status`, `code` of an error, `retryAfterMs` from the response, `client` and the kind of its `credential`; `lost` if the response was not sent completely: `hang`, `reset`, `truncated` or `malformed` (by a fault; of errors, the status still counts), or `disconnected`; without `status` if none was begun',
  '`upgrade`: an upgrade that opened no socket: `outcome` (`rejected`, `hang` or `reset`), and of a response `status`, `code` and `retryAfterMs`; `client`',
  '`control`: `method`, `route`, `status`, `code`, `input`',
  '`socket`: its number and `event`: `opened`; `frame` (received), with `action`, `room`, `outcome`, `refused`; `sent`, a control or an announced `revision`; `ending`, by the exchange; `closed`, with `closeCode` and `by` whom',
  '`fault`: a decision of an injected fault: its name, its `place` in the plan, `decision` (its number), `triggered`, and `on`, the target of the decision',
].join('; ')

export const pageSchema = z.strictObject({
  after: queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0).describe('Default: 0'),
  limit: queryInteger({ min: 1, max: 1000 }).default(100).describe('Default: 100'),
})

/** An integer query parameter in plain digits: described as an integer, parsed to one. */
function queryInteger({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,15})$/, 'expected plain digits')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
}

const clientName = z
  .string()
  .describe(
    'A wallet, also with a number, network address and `User-Agent`; without a credential, only the latter two',
  )

const findingSchema = z.strictObject({
  number: z.int(),
  atMs: z.int(),
  rule: z.string().describe('A rule that binds clients: see rules.md'),
  client: clientName,
  observed: z.string().describe('The violation'),
  advice: z.string().describe('The fix'),
  evidence: z.array(entrySchema).describe('Journal entries'),
})

const clientSchema = z.strictObject({
  client: clientName,
  firstMs: z.int().describe('Time of the first observation'),
  lastMs: z.int().describe('Time of the last observation'),
  requests: z.int(),
  openSockets: z.int(),
  findings: z.int(),
})

const dutySchema = z.strictObject({
  situations: z.int().describe('How often the rule applied to a client'),
  handled: z.int().describe('How often a client was seen to handle that right'),
  violations: z.int().describe('A client that repeats a violation has a finding every ten seconds'),
})

export const findingsSchema = z.strictObject({
  findings: z.array(findingSchema),
  last: z.int().describe('Number of the newest finding; 0 if there are no findings'),
  duties: z.record(z.string(), dutySchema).describe('For each rule, its counts since the stub started'),
})

export const FINDING_RESOURCES: readonly Resource[] = [
  resource({
    method: 'GET',
    path: '/findings',
    summary: `Client behavior that violates the specification, oldest first. The last ${FINDINGS_MAX.toLocaleString('en')} findings are kept. To follow them, pass the last number read as \`after\`.`,
    input: pageSchema,
    output: findingsSchema,
    respond({ observer }, page) {
      if (!observer) return { findings: [], last: 0, duties: {} }
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
      'Clients known to the observer: the most recently seen, several hundred. See [how clients are identified](observer.md#how-clients-are-identified).',
    input: z.strictObject({}),
    output: z.strictObject({ clients: z.array(clientSchema) }),
    respond: ({ observer }) => ({ clients: [...(observer?.clients() ?? [])] }),
  }),
]
