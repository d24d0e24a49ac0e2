import { expect, test } from 'vitest'
import { ghostsIn } from './ghosts.ts'

test('a ghost is a followed pool that changed without an event', () => {
  const picture = new Map([
    ['same', '1'],
    ['moved', '1'],
    ['told', '1'],
    ['not followed', '1'],
  ])
  const now = new Map([
    ['same', '1'],
    ['moved', '2'],
    ['told', '2'],
    ['not followed', '2'],
    ['new', '1'],
  ])
  const keys = ['same', 'moved', 'told', 'new']
  expect(ghostsIn(picture, { now, keys, told: new Set(['told']) })).toEqual(['moved', 'new'])
})
