/** Makes something else of a JSON value, in one place or in many, by chance: other types, other shapes, nothing at all. */
import type { RandomStream } from '../../simulator/random.ts'

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  0.1,
  '',
  'null',
  '\u0000\ud83d\ude00\u202e',
  '<script>alert(1)</script>',
  '99999999999999999999999999999999999999',
  '-0.0e',
  [],
  [[]],
  [null],
  [1, 'a', {}],
  {},
  { data: {} },
  { data: [null, 1, 'a', [], {}] },
  { length: -1, constructor: null, toString: 1 },
]

/** Each value is spoiled with a chance of `share`, the outermost too. */
export function mangle(value: unknown, random: RandomStream, share: number): unknown {
  if (random.float() < share) return strange(value, random)
  if (Array.isArray(value)) return value.map((one) => mangle(one, random, share))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [name, mangle(one, random, share)])
  return Object.fromEntries(entries)
}

function strange(value: unknown, random: RandomStream): unknown {
  const kind = random.int(0, 4)
  if (kind === 0 && typeof value === 'string') return Number(value)
  if (kind === 0 && typeof value === 'number') return String(value)
  if (kind === 1) return [value]
  if (kind === 2) return { '': value }
  return random.pick(STRANGE)
}

/** Text that is no longer JSON, or no text. */
export function garble(body: Buffer, random: RandomStream): Buffer {
  const kind = random.int(0, 4)
  if (kind === 0) return body.subarray(0, random.int(0, body.length))
  if (kind === 1) return Buffer.alloc(0)
  if (kind === 2) return Buffer.from(random.bytes(random.int(1, 300)))
  if (kind === 3) return Buffer.concat([body, body])
  return Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0xc3, 0x28, 0x7d])
}
