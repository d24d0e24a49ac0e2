import { expect, it } from 'vitest'
import { ERRORS } from './error-codes.ts'

it('has error codes in snake case with a status from 400', () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(status).toBeGreaterThanOrEqual(400)
  }
})
