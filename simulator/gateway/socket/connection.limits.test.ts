import { expect, test } from 'vitest'
import { defaultChoices } from '../../choices/default-choices.ts'
import { FRAME_TOO_LARGE } from '../feed-protocol.ts'
import { createTestBed } from '../test-bed.ts'

const SYNCHRONIZE = { action: 'synchronize' }
const SYNCHRONIZED = { control: 'synchronized' }
const LIMITED = { control: 'error', code: 'frames_limited' }
const INVALID = { control: 'error', code: 'frame_invalid' }
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

test('acts on 240 frames at once, including authenticate, and ignores the 241st', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  for (const frame of times(240, SYNCHRONIZE)) client.send(frame)
  expect(await client.settle()).toEqual([...times(239, SYNCHRONIZED), LIMITED])
})

test('acts on 240 frames spread over 58 seconds', async () => {
  const { clock, signIn } = await createTestBed()
  const client = await signIn()
  for (let sent = 1; sent < 240; sent++) {
    clock.advance(58_000 / 240)
    expect(await client.synchronize()).toEqual([])
  }
})

test('acts on frames again a minute after the first', async () => {
  const { clock, signIn, issueTicket, wallets } = await createTestBed()
  const client = await signIn()
  clock.advance(30_000)
  client.send({ action: 'authenticate', token: issueTicket(wallets.alice) })
  await client.next('authenticated')
  for (const frame of times(239, SYNCHRONIZE)) client.send(frame)
  expect(await client.settle()).toEqual([...times(238, SYNCHRONIZED), LIMITED])
  clock.advance(29_999)
  client.send(SYNCHRONIZE)
  expect(await client.settle()).toEqual([LIMITED])
  clock.advance(1)
  client.send(SYNCHRONIZE)
  client.send(SYNCHRONIZE)
  expect(await client.settle()).toEqual([SYNCHRONIZED]) // the last error was less than a second ago
})

test('invalid frames count too', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  for (const frame of times(239, 'nonsense')) client.send(frame)
  client.send(SYNCHRONIZE)
  expect(await client.settle()).toEqual([...times(239, INVALID), LIMITED])
})

test('sends at most one error per second about rejected frames', async () => {
  const { clock, signIn } = await createTestBed()
  const client = await signIn()
  for (const frame of times(260, SYNCHRONIZE)) client.send(frame)
  expect((await client.settle()).slice(239)).toEqual([LIMITED])
  clock.advance(999)
  client.send(SYNCHRONIZE)
  expect(await client.settle()).toEqual([])
  clock.advance(1)
  client.send(SYNCHRONIZE)
  expect(await client.settle()).toEqual([LIMITED])
})

test('closes on the 241st rejected frame within a minute', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  for (const frame of times(239 + 240, SYNCHRONIZE)) client.send(frame)
  await client.settle()
  client.send(SYNCHRONIZE)
  expect(await client.closed).toEqual(defaultChoices.feed.closes.tooManyFrames)
})

const SUBSCRIBE = '{"action":"subscribe","room":"pool_launches"}'

test.each([2000, 2048])('acts on a frame of %i bytes', async (bytes) => {
  const { gateway, signIn } = await createTestBed()
  const client = await signIn()
  client.send(SUBSCRIBE.padEnd(bytes))
  expect(await client.synchronize()).toEqual([])
  expect(gateway.sockets()).toMatchObject([{ rooms: 1 }])
})

test.each([
  ['2,049 bytes', SUBSCRIBE.padEnd(2049)],
  ['2,049 bytes in fewer characters', `{"action":"subscribe","room":"${'ü'.repeat(1009)}"}`.padEnd(1040)],
  ['a megabyte', SUBSCRIBE.padEnd(1_000_000)],
])('closes on a frame of %s', async (_name, frame) => {
  const { emit, pools, signIn } = await createTestBed()
  expect(Buffer.byteLength(frame)).toBeGreaterThan(2048)
  const client = await signIn()
  client.send(frame)
  emit({ launches: pools.slice(0, 1) })
  expect(await client.closed).toEqual(FRAME_TOO_LARGE)
})

test('closes on fragments that add up to more than 2,048 bytes', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  client.socket.send(SUBSCRIBE, { fin: false })
  client.socket.send(' '.repeat(2049 - SUBSCRIBE.length), { fin: true })
  expect(await client.closed).toEqual(FRAME_TOO_LARGE)
})

test.each<[string, object | string | Buffer]>([
  ['text that is not JSON', 'nonsense'],
  ['an empty frame', ''],
  ['half an object', '{"action":'],
  ['null', 'null'],
  ['a number', '1'],
  ['an array', '[{"action":"synchronize"}]'],
  ['an object without action', {}],
  ['an unknown action', { action: 'explode' }],
  ['an inherited name as action', { action: 'toString' }],
  ['subscribe without a room', { action: 'subscribe' }],
  ['subscribe with a number', { action: 'subscribe', room: 5 }],
  ['authenticate without a token', { action: 'authenticate' }],
  ['deep nesting', `${'['.repeat(1000)}${']'.repeat(1000)}`],
  ['a binary frame', Buffer.from(JSON.stringify(SYNCHRONIZE))],
])('responds to %s with an error control and continues', async (_name, frame) => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  client.send(frame)
  expect(await client.synchronize()).toEqual([INVALID])
})

test('ignores further keys in a frame', async () => {
  const { signIn } = await createTestBed()
  const client = await signIn()
  client.send({ ...SYNCHRONIZE, id: 1 })
  await client.next('synchronized')
})
