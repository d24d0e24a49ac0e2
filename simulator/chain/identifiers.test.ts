import { expect, test } from 'vitest'
import { addressFrom, compareFields, fieldFrom, transactionIdFrom } from './identifiers.ts'

test('a field has 60 to 76 digits, whatever it is made from', () => {
  for (let index = 0; index < 2000; index++) {
    expect(fieldFrom(`field ${index}`)).toMatch(/^[1-9][0-9]{59,75}field$/)
  }
})

test('addresses and transaction ids have their prefixes and 58 characters', () => {
  expect(addressFrom('a')).toMatch(/^bw1[02-9ac-hj-np-z]{58}$/)
  expect(transactionIdFrom('a')).toMatch(/^at1[02-9ac-hj-np-z]{58}$/)
  expect(addressFrom('a')).not.toBe(addressFrom('b'))
})

test('fields are ordered as numbers', () => {
  const fields = ['10field', '9field', '11field', '9field']
  expect(fields.sort(compareFields)).toEqual(['9field', '9field', '10field', '11field'])
})
