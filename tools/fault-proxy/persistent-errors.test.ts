import { expect, test } from 'vitest'
import { ruleById } from '../../contract/rules.ts'
import { clientFrames, PERSISTENT_ERRORS } from './persistent-errors.ts'

/** A client's text frame: RFC 6455, section 5.2. */
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

test('reads all client frames of a chunk, short and long, and skips those that are not text', () => {
  const ping = Buffer.from([0x89, 0x80, 1, 2, 3, 4])
  const room = `trades:${'x'.repeat(200)}`
  const chunk = Buffer.concat([
    masked('{"action":"synchronize"}'),
    ping,
    masked(JSON.stringify({ action: 'subscribe', room })),
  ])
  expect(clientFrames(chunk)).toEqual([{ action: 'synchronize' }, { action: 'subscribe', room }])
})

test('persistent errors break rules of the catalog', () => {
  const broken = Object.values(PERSISTENT_ERRORS).flatMap(({ breaks }) => breaks)
  expect(broken.filter((id) => ruleById(id) === undefined)).toEqual([])
})
