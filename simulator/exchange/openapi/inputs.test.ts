// The document and the validators agree: values generated from its schemas are accepted, and violations rejected.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleByTree } from '../../../tools/test/tree-sample.ts'
import { CHOICE_SETS } from '../../choices/choices.ts'
import type { Call } from '../test-bed.ts'
import { createTestBed } from '../test-bed.ts'
import { createTestWorld } from '../test-world.ts'

type Schema = {
  type?: string
  enum?: string[]
  anyOf?: Schema[]
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  properties?: Record<string, Schema>
  required?: string[]
}
type Place = 'path' | 'query' | 'body'
type Field = { place: Place; name: string; required: boolean; schema: Schema }
type Operation = { method: string; path: string; fields: Field[] }
type Values = Readonly<Record<Place, Readonly<Record<string, unknown>>>>

const RUNS = 12
const HUGE = '9'.repeat(400)

test.each(sampleByTree(Object.values(CHOICE_SETS), 1))(
  'choices $name',
  { timeout: 60_000 },
  async (choices) => {
    const bed = await createTestBed({ choices, world: createTestWorld() })
    const operations = listOperations((await bed.call('/openapi.json')).json())
    expect(operations.length).toBeGreaterThan(30)
    const me = await bed.signIn(bed.wallets.admin)

    /** The code from the log: bodies may hide it. */
    const fetchCode = async ({ method, path }: Operation, values: Values): Promise<string | undefined> => {
      const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(values.path[name])))
      const query = new URLSearchParams(values.query as Record<string, string>)
      const call = { ...me, method: method as NonNullable<Call['method']> } // as: no others are in the document
      await bed.call(`${url}?${query}`, method === 'POST' ? { ...call, body: values.body } : call)
      return JSON.parse(bed.logLines.at(-1) ?? '{}').code
    }

    for (const operation of operations) {
      const { fields } = operation
      // One optional field at a time: some require an order that a schema cannot express.
      for (const optional of [undefined, ...fields.filter(({ required }) => !required)]) {
        const given = fields.filter((field) => field.required || field === optional)
        await fc.assert(
          fc.asyncProperty(generateValues(given), async (values) => {
            expect(await fetchCode(operation, values), shown(operation, values)).not.toBe('invalid_request')
          }),
          { seed: 3, numRuns: RUNS },
        )
      }
      for (const field of fields) {
        const given = fields.filter(({ required, name }) => required || name === field.name)
        const [values] = fc.sample(generateValues(given), { seed: 4, numRuns: 1 })
        for (const wrong of listWrongValues(field)) {
          const broken = {
            ...values,
            [field.place]: { ...values?.[field.place], [field.name]: wrong },
          } as Values
          if (wrong === undefined) delete (broken[field.place] as Record<string, unknown>)[field.name]
          expect(await fetchCode(operation, broken), shown(operation, broken)).toBe('invalid_request')
        }
      }
    }
  },
)

function listOperations({ paths }: { paths: Record<string, Record<string, unknown>> }): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { parameters = [], requestBody } = operation as {
        parameters?: { in: Place; name: string; required: boolean; schema: Schema }[]
        requestBody?: { content: { 'application/json': { schema: Schema } } }
      }
      const { properties = {}, required = [] } = requestBody?.content['application/json'].schema ?? {}
      const fields: Field[] = [
        ...parameters.map((parameter) => ({ ...parameter, place: parameter.in })),
        ...Object.entries(properties).map(([name, schema]) => ({
          place: 'body' as const,
          name,
          required: required.includes(name),
          schema,
        })),
      ]
      return fields.length === 0 ? [] : [{ method: method.toUpperCase(), path, fields }]
    }),
  )
}

function generateValues(fields: readonly Field[]): fc.Arbitrary<Values> {
  const of = (place: Place) =>
    fc.record(
      Object.fromEntries(
        fields
          .filter((field) => field.place === place)
          .map(({ name, schema }) => [name, valueFor(schema, place)]),
      ),
    )
  return fc.record({ path: of('path'), query: of('query'), body: of('body') })
}

function valueFor(schema: Schema, place: Place): fc.Arbitrary<unknown> {
  const {
    anyOf,
    enum: values,
    type,
    pattern,
    format,
    minimum,
    maximum,
    minLength = 0,
    maxLength = 100,
  } = schema
  if (anyOf) return fc.oneof(...anyOf.map((one) => valueFor(one, place)))
  if (values) return fc.constantFrom(...values)
  if (type === 'null') return fc.constant(null)
  if (type === 'integer') {
    const [min, max] = [BigInt(minimum ?? 0), BigInt(maximum ?? 0)]
    return fc.oneof(fc.constantFrom(min, max), fc.bigInt({ min, max })).map(Number)
  }
  if (pattern) return fc.stringMatching(new RegExp(pattern))
  if (format === 'uuid') return fc.uuid()
  const texts = [
    fc.string({ unit: 'binary', minLength, maxLength }),
    fc.constantFrom('🧵'.repeat(maxLength), 'x'.repeat(maxLength), 'x'.repeat(Math.max(1, minLength))),
  ]
  // An empty text, or dots only, would change the path.
  return fc.oneof(...texts).filter((text) => place !== 'path' || !/^\.{0,2}$/.test(text))
}

/** undefined omits the field. */
function listWrongValues({ place, required, schema }: Field): unknown[] {
  const { anyOf, enum: values, type, pattern, minimum = 0, maximum = 0, minLength = 0, maxLength } = schema
  const missing = required && place !== 'path' ? [undefined] : []
  if (place === 'body' && anyOf) return [...missing, ...wrongOfType('body', anyOf), [], {}]
  const others = place === 'body' ? [...missing, ...wrongOfType('body', [schema]), [], {}] : missing
  if (values) return [...others, '', 'nonsense', `${values[0]} `, values[0]?.toUpperCase()]
  if (type === 'integer') {
    const numbers = [BigInt(minimum) - 1n, BigInt(maximum) + 1n]
    if (place === 'body') return [...others, ...numbers.map(Number), 1.5]
    return [...others, ...numbers.map(String), ...WRONG_DIGITS, HUGE]
  }
  if (pattern)
    return [...others, ...[...WRONG_DIGITS, HUGE].filter((text) => !new RegExp(pattern).test(text))]
  const tooLong = maxLength === undefined ? [] : ['🧵'.repeat(maxLength + 1), 'x'.repeat(maxLength + 1)]
  return [...others, ...tooLong, ...(minLength > 0 && place !== 'path' ? ['x'.repeat(minLength - 1)] : [])]
}

const WRONG_DIGITS = ['', 'x', '1.5', '1e1', '+1', '-1', '01', ' 1', '1 ', '1\n', '1_0', '0x1', '١', 'null']

function wrongOfType(_place: Place, schemas: readonly Schema[]): unknown[] {
  const types = schemas.map(({ type }) => type)
  const candidates: Record<string, unknown> = { string: 'text', integer: 7, boolean: true, null: null }
  return Object.entries(candidates).flatMap(([type, value]) => (types.includes(type) ? [] : [value]))
}

function shown({ method, path }: Operation, values: Values): string {
  return `${method} ${path} ${JSON.stringify(values).slice(0, 400)}`
}
