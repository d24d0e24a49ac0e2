import { expect, test } from 'vitest'
import { createTestBed, STRANGER } from '../test-bed.ts'
import { configRefetches } from './config-refetches.ts'

const state = (minimum: number) => ({
  url: `/protocol/state?minimum_revision=${minimum}`,
  route: '/protocol/state',
})

function told(revision = 7) {
  const bed = createTestBed(configRefetches)
  const socket = bed.open().authenticate().join('protocol_config')
  socket.revision(revision)
  return { ...bed, socket }
}

const ACCUSED =
  'socket 1 was told of revision 7, and within 30 s nobody asked for /protocol/state with minimum_revision of at least that'

test.each([
  ['nothing', []],
  ['the state, of any revision', [{ url: '/protocol/state', route: '/protocol/state' }]],
  ['the state, of an older revision', [state(6)]],
])('accuses who asks for %s', (_what, requests) => {
  const { ask, pass, found } = told()
  for (const request of requests) ask(request)
  pass(30_000)
  expect(found()).toEqual([ACCUSED])
})

test('lets pass who asks late, without a credential, or for a later one', () => {
  const { arrive, pass, found, cases } = told()
  pass(29_999)
  arrive({ ...STRANGER, ...state(8) })
  pass(1)
  expect([found(), cases()]).toEqual([[], 1])
})

test('lets pass who had heard of it on another socket', () => {
  const bed = createTestBed(configRefetches)
  bed.ask(state(7))
  bed.open().authenticate().revision(7)
  bed.pass(30_000)
  expect(bed.found()).toEqual([])
})

test('lets pass who is gone', () => {
  const { socket, pass, found } = told()
  socket.leave()
  pass(30_000)
  expect(found()).toEqual([])
})

test('gives each revision its time', () => {
  const { socket, ask, pass, found } = told(7)
  pass(20_000)
  socket.revision(8)
  ask(state(7))
  pass(29_999)
  expect(found()).toEqual([])
  pass(1)
  expect(found()).toEqual([ACCUSED.replace('revision 7', 'revision 8')])
})
