import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeWholeLines } from './write-whole-lines.ts'

const piece = fc.array(fc.constantFrom('a', 'é', '\n', '\r', '\0')).map((parts) => parts.join(''))

test('writes whole lines alone, however they come, and all of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece), async (pieces) => {
      const writes: string[] = []
      await writeWholeLines(Readable.from(pieces.map((text) => Buffer.from(text))), async (lines) => {
        writes.push(String(lines))
      })
      const whole = pieces.join('')
      expect(writes.join('')).toBe(whole.slice(0, whole.lastIndexOf('\n') + 1))
      for (const lines of writes) expect(lines.endsWith('\n')).toBe(true)
    }),
    { seed: 7 },
  )
})

test('a line that never ends is not held in memory', async () => {
  const chunk = Buffer.alloc(1 << 20, 'x')
  const endless = Readable.from(
    (function* () {
      for (;;) yield chunk
    })(),
  )
  await expect(writeWholeLines(endless, async () => {})).rejects.toThrow(
    'it has a line of more than 16777216 bytes',
  )
})
