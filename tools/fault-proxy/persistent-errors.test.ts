import { expect, test } from 'vitest'
import { ruleById } from '../../contract/rules.ts'
import { clientFrames, PERSISTENT_ERRORS } from './persistent-errors.ts'

/** A text frame of a client: RFC 6455, section 5.2. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  const mask = Buffer.from([1, 2, 3, 4])
  const head =
    payload.length < 126
      ? [0x81, 0x80 | payload.length]
      : [0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]
  const body = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return Buffer.concat([Buffer.from(head), mask, body])
}

test('reads all the frames of a client that a chunk holds, short and long, and leaves out what is no text', () => {
  const ping = Buffer.from([0x89, 0x80, 1, 2, 3, 4])
  const room = `trades:${'x'.repeat(200)}`
  const chunk = Buffer.concat([
    masked('{"action":"synchronize"}'),
    ping,
    masked(JSON.stringify({ action: 'subscribe', room })),
  ])
  expect(clientFrames(chunk)).toEqual([{ action: 'synchronize' }, { action: 'subscribe', room }])
})

test('the rules that a persistent error breaks are rules of the catalogue', () => {
  const broken = Object.values(PERSISTENT_ERRORS).flatMap(({ breaks }) => breaks)
  expect(broken.filter((id) => ruleById(id) === undefined)).toEqual([])
})
