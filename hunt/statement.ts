/** The result of an examination as an in-toto Statement (https://in-toto.io/Statement/v1), ready to be signed. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ClientRuleId } from '../contract/client-rules.ts'
import { INTERFACE_VERSION } from '../contract/limits.ts'
import { clientRule } from '../contract/repro-case.ts'
import { entrySchema } from '../simulator/control/finding-resources.ts'
import { judgeDuty } from '../simulator/observer/findings.ts'
import type { Examination, ExaminationRun } from './examination.ts'
import { type HuntWorld, huntWorldSchema, isSameViolation, type Violation } from './schedule.ts'

const schedule = z.string().describe('Name of a schedule')
const count = z.int().min(0)

export const statementSchema = z.strictObject({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('The client: `NAME@VERSION`, or `NAME` without a version'),
        digest: z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
      }),
    )
    .length(1),
  predicateType: z.literal('urn:breakwater:client-certificate:v1'),
  predicate: z.strictObject({
    client: z.strictObject({
      name: z.string(),
      version: z.string().nullable(),
      digestOf: z
        .string()
        .describe('Content of the digest: `file PATH`, or `name` for the subject’s name in UTF-8'),
    }),
    result: z
      .enum(['pass', 'fail', 'inconclusive'])
      .describe('The worst verdict of the rules; `inconclusive` if one was not exercised'),
    specification: z.string().describe('Version of the specification'),
    breakwater: z.string().describe('Version of Breakwater'),
    time: z.iso.datetime().describe('Start of the examination'),
    stub: huntWorldSchema.omit({ durationMs: true }).describe('The stub that the client ran against'),
    schedules: z.array(
      z.strictObject({
        name: schedule,
        purpose: z.string(),
        durationMs: count,
        faults: z.array(z.looseObject({ fault: z.string() })).describe('As in a fault plan'),
        clientFailed: z.boolean().describe('The client exited with an error during the schedule'),
      }),
    ),
    duties: z.array(
      z.strictObject({
        rule: clientRule,
        verdict: z.enum(['pass', 'fail', 'not exercised']),
        situations: count.describe('How often the situation of the rule arose'),
        handled: count.describe('How often the client handled it correctly'),
        violations: count,
        witness: z
          .strictObject({ schedule, entry: entrySchema })
          .nullable()
          .describe('Journal entry of a situation that the client handled correctly'),
      }),
    ),
    findings: z.array(
      z.strictObject({
        rule: clientRule,
        schedule,
        client: z.string().describe('`wallet N` of the stub, or a network address and a `User-Agent`'),
        observed: z.string().describe('The violation'),
        advice: z.string().describe('The fix'),
        evidence: z.array(entrySchema).describe('Journal entries'),
      }),
    ),
  }),
})

export type Statement = z.output<typeof statementSchema>

/** Returns the JSON Schema (draft 2020-12) of statement.json. */
export function statementJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(statementSchema)
}

/** `file`: the content of the digest; null: the digest is that of the name. */
export type ExaminedClient = {
  name: string
  version: string | null
  file: { shown: string; content: Buffer } | null
}

export function buildStatement(options: {
  client: ExaminedClient
  /** The rules that the statement is about. */
  rules: readonly string[]
  runs: readonly ExaminationRun[]
  examination: Examination
  world: HuntWorld
  breakwater: string
  time: string
}): Statement {
  const { client, rules, runs, examination, breakwater, time } = options
  const { name, version, file } = client
  const { durationMs: _, ...stub } = options.world
  const subject = version === null ? name : `${name}@${version}`
  const sha256 = createHash('sha256')
    .update(file?.content ?? subject)
    .digest('hex')
  const duties = (rules as ClientRuleId[]).map((rule) => judge(rule, runs)) // as: given from their list
  const verdicts = duties.map(({ verdict }) => verdict)
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: subject, digest: { sha256 } }],
    predicateType: 'urn:breakwater:client-certificate:v1',
    predicate: {
      client: { name, version, digestOf: file ? `file ${file.shown}` : 'name' },
      result: verdicts.includes('fail')
        ? 'fail'
        : verdicts.includes('not exercised')
          ? 'inconclusive'
          : 'pass',
      specification: INTERFACE_VERSION,
      breakwater,
      time,
      stub,
      schedules: examination.map(({ faults, ...planned }) => ({
        ...planned,
        faults: [...faults],
        clientFailed: runs.some((run) => run.name === planned.name && run.clientEnd !== null),
      })),
      duties,
      findings: listFindings(runs).filter(({ rule }) => rules.includes(rule)),
    },
  }
}

type Duty = Statement['predicate']['duties'][number]

function judge(rule: ClientRuleId, runs: readonly ExaminationRun[]): Duty {
  const parts = runs.flatMap(({ name, duties }) =>
    duties.filter((duty) => duty.rule === rule).map((duty) => ({ schedule: name, ...duty })),
  )
  const sum = (what: 'situations' | 'handled' | 'violations') =>
    parts.reduce((total, part) => total + part[what], 0)
  const counts = {
    situations: sum('situations'),
    handled: sum('handled'),
    violations: sum('violations'),
  }
  const [witness] = parts.flatMap(({ schedule: name, witness: entry }) =>
    entry ? [{ schedule: name, entry }] : [],
  )
  return { rule, verdict: judgeDuty(counts), ...counts, witness: witness ?? null }
}

/** Each violation once, from the first schedule that shows it. */
function listFindings(runs: readonly ExaminationRun[]): Statement['predicate']['findings'] {
  const known: Violation[] = []
  return runs.flatMap(({ name, violations }) =>
    violations.flatMap((violation) => {
      if (known.some((other) => isSameViolation(other, violation))) return []
      known.push(violation)
      const { shape: _, evidence, ...shown } = violation
      return [{ schedule: name, ...shown, evidence: [...evidence] }]
    }),
  )
}
