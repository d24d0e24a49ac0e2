import { expect, test } from 'vitest'
import { createTestBed } from '../test-bed.ts'
import { socketAuthenticatesFirst } from './socket-authenticates-first.ts'

test('accuses of a subscription before any authenticate frame', () => {
  const { open, found } = createTestBed(socketAuthenticatesFirst)
  open().join('pool_launches').authenticate()
  expect(found()).toEqual(['subscribe came on socket 1 before any authenticate frame'])
})

test('lets pass frames right behind authenticate: whether the answer was waited for cannot be seen', () => {
  const { open, found, cases } = createTestBed(socketAuthenticatesFirst)
  open().authenticate().join('pool_launches').frame({ action: 'synchronize' })
  open().authenticate({ outcome: 'refused' }).join('pool_launches')
  expect([found(), cases()]).toEqual([[], 2])
})
