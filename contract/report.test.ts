import Ajv from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { reportJsonSchema } from './report.ts'

test('the JSON Schema of report.json compiles, and requires what the design promises', () => {
  const schema = reportJsonSchema()
  expect(() => new Ajv.default({ strict: false, validateFormats: false }).compile(schema)).not.toThrow()
  expect(schema.required).toEqual(
    expect.arrayContaining(['version', 'job', 'verdict', 'exitCode', 'rules', 'slo', 'capacity']),
  )
})
