import { expect, test } from 'vitest'
import { countSubscribers } from './every-subscriber.ts'
import type { Feed } from './feed.ts'

function feedWith(events: number, closed?: { code: number; reason: string }): Feed {
  const received = Array.from({ length: events }, () => ({ type: 'PoolLaunch', json: {}, text: '' }))
  return { received, closed: () => closed } as unknown as Feed // as: nothing else of it is used
}

const LEFT_OUT = 'one of 2 sockets in the room got none of 3 events'

test.each([
  { feeds: [feedWith(0), feedWith(0)], isSettled: false, leftOut: undefined, why: 'no event yet' },
  { feeds: [feedWith(1), feedWith(1)], isSettled: true, leftOut: undefined, why: 'one each' },
  { feeds: [feedWith(2), feedWith(0)], isSettled: false, leftOut: undefined, why: 'too few to tell' },
  { feeds: [feedWith(3), feedWith(0)], isSettled: true, leftOut: LEFT_OUT, why: 'none for the second' },
  {
    feeds: [feedWith(3), feedWith(0, { code: 1006, reason: '' })],
    isSettled: true,
    leftOut: undefined,
    why: 'a socket that was lost',
  },
])('of two sockets in a room: $why', ({ feeds, isSettled, leftOut }) => {
  const subscribers = countSubscribers(feeds, 'PoolLaunch')
  expect([subscribers.isSettled(), subscribers.whoIsLeftOut()]).toEqual([isSettled, leftOut])
})
