import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { unauthorizedReplaces } from './unauthorized-replaces.ts'

const refused = (refusedDigest: string) =>
  ({ ...STRANGER, credential: 'invalid', status: 401, code: 'credentials_invalid', refusedDigest }) as const

test('accuses who goes on with what was refused', () => {
  const { ask, pass, found, evidence } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 6; count++) {
    ask(refused('old'))
    pass(1000)
  }
  expect(found()).toEqual([
    'a credential that was refused with 401 came 5 more times, each after the answer before',
  ])
  expect(evidence()).toBe(6)
})

test('lets pass requests that were under way together, in two tabs', () => {
  const { arrive, pass, found } = createTestBed(unauthorizedReplaces)
  for (let tab = 0; tab < 2; tab++) {
    const answers = Array.from({ length: 20 }, () => arrive(refused('old')))
    pass(300)
    for (const answer of answers) answer()
    pass(300)
  }
  expect(found()).toEqual([])
})

test('lets pass a new credential each time, be it refused as well', () => {
  const { ask, pass, found, cases } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 20; count++) {
    ask(refused(`number ${count}`))
    pass(1000)
  }
  expect([found(), cases()]).toEqual([[], 20])
})

test('lets pass the same credential from programs at different addresses', () => {
  const { ask, pass, found } = createTestBed(unauthorizedReplaces)
  for (let count = 0; count < 20; count++) {
    ask({ ...refused('old'), remoteAddress: `10.0.0.${count}` })
    pass(1000)
  }
  expect(found()).toEqual([])
})
