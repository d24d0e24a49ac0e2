import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { plain } from '../../choices/plain.ts'
import { createOutbox } from '../outbox/outbox.ts'
import { deliver } from './deliver.ts'

test('each gets its frames in order, and all of a block in one write', () => {
  const [both, one] = [socket(), socket()]
  deliver([
    { frame: Buffer.from('a'), members: new Set([both, one]) },
    { frame: Buffer.from('b'), members: new Set([both]) },
    { frame: Buffer.from('c'), members: new Set([both, one]) },
  ])
  expect(both.writes).toEqual(['abc'])
  expect(one.writes).toEqual(['ac'])
})

test('nothing waits once it has delivered', () => {
  const member = socket()
  deliver([])
  deliver([{ frame: Buffer.from('a'), members: new Set([member]) }])
  deliver([
    { frame: Buffer.from('b'), members: new Set([member]) },
    { frame: Buffer.from('c'), members: new Set([member]) },
  ])
  deliver([{ frame: Buffer.from('d'), members: new Set([member]) }])
  expect(member.writes).toEqual(['a', 'bc', 'd'])
})

/** Shows what reaches the system at once. */
function socket() {
  const writes: string[] = []
  const stream = new Writable({
    write(frame, _encoding, done) {
      writes.push(String(frame))
      done()
    },
    writev(frames, done) {
      writes.push(frames.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  const outbox = createOutbox({ socket: { readyState: 1, terminate() {} }, stream, bounds: plain.feed })
  return { outbox, writes }
}
