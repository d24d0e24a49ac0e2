import { expect, test } from 'vitest'
import { holdsClose } from './hostile-server.ts'

/** A masked frame, as a client sends it. */
function frame(opcode: number, length: number): Buffer {
  const mask = Buffer.alloc(4, 0x88)
  const size = length < 126 ? [length] : length < 65_536 ? [126, length >> 8, length & 255] : LONG
  const [first = 0, ...rest] = size
  return Buffer.concat([
    Buffer.from([0x80 | opcode, 0x80 | first, ...rest]),
    mask,
    Buffer.alloc(length, 0x88),
  ])
}

/** 70,000 bytes. */
const LONG = [127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]

test.each([
  { frames: [[8, 2]], expected: true },
  { frames: [[1, 70]], expected: false },
  {
    frames: [
      [1, 70],
      [8, 2],
    ],
    expected: true,
  },
  {
    frames: [
      [1, 300],
      [2, 70_000],
      [8, 0],
    ],
    expected: true,
  },
  {
    frames: [
      [1, 300],
      [2, 70_000],
      [10, 0],
    ],
    expected: false,
  },
])('a close frame among the frames $frames: $expected', ({ frames, expected }) => {
  expect(holdsClose(Buffer.concat(frames.map(([opcode = 0, length = 0]) => frame(opcode, length))))).toBe(
    expected,
  )
})
