import { expect, test } from 'vitest'
import { notCanonical } from './not-canonical.ts'

test('spells an amount in every way that is not canonical', () => {
  expect(notCanonical('1000000')).toEqual([
    '+1000000',
    '-1000000',
    '1000000e0',
    '1000000E0',
    '01000000',
    '1000000.0',
    '1000000.',
    '1000000,0',
    ' 1000000',
    '1000000 ',
    '\t1000000',
    '1000000\n',
    '\u00a01000000',
    '1,000,000',
    '1_000_000',
    '1 000 000',
    "1'000'000",
    '1.000.000',
    '0xf4240',
    '١٠٠٠٠٠٠',
    '１００００００',
  ])
})

test('never gives back the amount as it is, and nothing twice', () => {
  const spellings = notCanonical('5')
  expect(spellings).not.toContain('5')
  expect(new Set(spellings).size).toBe(spellings.length)
})
