import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { defaultChoices } from '../../choices/default-choices.ts'
import { createOutbox, textFrame } from './outbox.ts'

const RESYNC = String(textFrame('{"control":"resync_required"}'))
const EVENT = Buffer.alloc(100_000, 'e')
const TEXT = String(EVENT)
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test('drops events above the high-water mark, and sends resync_required when the buffer is empty', async () => {
  const { outbox, sendOne, sendAll, sent } = stalledOutbox()
  for (const event of times(5, EVENT)) outbox.sendEvent(event)
  expect(outbox.droppedEvents()).toBe(2) // 300,000 bytes are the first above 262,144
  await sendOne()
  await sendOne()
  outbox.sendEvent(EVENT)
  expect(outbox.droppedEvents()).toBe(2)
  await sendAll()
  expect(sent()).toEqual([...times(4, TEXT), RESYNC])
})

test('sends events again after that, without a second resync_required', async () => {
  const { outbox, sendAll, sent } = stalledOutbox()
  for (const event of times(5, EVENT)) outbox.sendEvent(event)
  await sendAll()
  outbox.sendEvent(EVENT)
  await sendAll()
  expect(sent().slice(3)).toEqual([RESYNC, TEXT])
})

test('sends no resync_required if nothing was dropped', async () => {
  const { outbox, sendAll, sent } = stalledOutbox()
  for (const event of times(3, EVENT)) outbox.sendEvent(event)
  await sendAll()
  expect(sent()).toEqual(times(3, TEXT))
})

test('sends a required resync in order', async () => {
  const { outbox, sendAll, sent } = stalledOutbox()
  outbox.requireResync()
  outbox.sendEvent(EVENT)
  outbox.requireResync()
  outbox.sendEvent(EVENT)
  await sendAll()
  expect(sent()).toEqual([RESYNC, TEXT, RESYNC, TEXT])
})

test('sends one resync if one is already due for drops', async () => {
  const { outbox, sendAll, sent } = stalledOutbox()
  for (const event of times(5, EVENT)) outbox.sendEvent(event)
  outbox.requireResync()
  outbox.requireResync()
  await sendAll()
  expect(sent()).toEqual([...times(3, TEXT), RESYNC])
})

test('sends controls above the high-water mark, but cuts the connection at the limit', () => {
  const { outbox, stream, socket } = stalledOutbox()
  const room = 'r'.repeat(defaultChoices.feed.highWaterBytes)
  for (const control of times(4, { control: 'error', room })) outbox.sendControl(control)
  expect(socket.terminated).toBe(false)
  const unsentBytes = stream.writableLength
  expect(unsentBytes).toBeGreaterThan(defaultChoices.feed.unsentBytesMax)
  outbox.sendControl({ control: 'error', room })
  expect(socket.terminated).toBe(true)
  expect(stream.writableLength).toBe(unsentBytes)
})

test('sends nothing after a close frame, not even a due resync', async () => {
  const { outbox, sendAll, sent, socket } = stalledOutbox()
  for (const event of times(5, EVENT)) outbox.sendEvent(event)
  socket.readyState = 2
  outbox.requireResync()
  outbox.sendControl({ control: 'synchronized' })
  await sendAll()
  outbox.sendEvent(EVENT)
  await sendAll()
  expect(sent()).toEqual(times(3, TEXT))
})

/** A connection whose peer reads only on command. */
function stalledOutbox() {
  const socket = {
    readyState: 1 as 1 | 2,
    terminated: false,
    terminate() {
      socket.terminated = true
    },
  }
  const sent: string[] = []
  let read: (() => void) | undefined
  const stream = new Writable({
    write(frame, _encoding, done) {
      read = () => {
        sent.push(String(frame))
        done()
      }
    },
  })
  const sendOne = async () => {
    const readNow = read
    read = undefined
    readNow?.()
    await new Promise(setImmediate) // streams continue in the next tick
  }
  const sendAll = async () => {
    while (stream.writableLength > 0) await sendOne()
  }
  const outbox = createOutbox({ socket, stream, bounds: defaultChoices.feed })
  return { outbox, socket, stream, sendOne, sendAll, sent: () => sent }
}

// Headers as RFC 6455 defines them.
test.each([
  [0, [0x81, 0]],
  [1, [0x81, 1]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('%i bytes are one frame', (bytes, header) => {
  const text = 'x'.repeat(bytes)
  expect(textFrame(text).equals(Buffer.concat([Buffer.from(header), Buffer.from(text)]))).toBe(true)
})

test('its length counts bytes, not characters', () => {
  const text = 'ü🙂'.repeat(10)
  expect(textFrame(text)[1]).toBe(60)
  expect(textFrame(text).toString('utf8', 2)).toBe(text)
})
