import { expect, test } from 'vitest'
import { plain } from '../../choices/plain.ts'
import { createTestBed, told } from '../../gateway/test-bed.ts'
import type { FeedClient } from '../../gateway/test-client.ts'

const fault = 'feed-mute'

/** A peer that answers no close frame is cut by real time too: not within a test. */
const PATIENT = { ...plain, feed: { ...plain.feed, closeTimeoutMs: 600_000 } }

/** Alice’s socket is mute for as long as `muteMs` says; Bob’s is not. Both are in the room of launches. */
async function mutedBed({ muteMs = 1000 } = {}) {
  const bed = await createTestBed({ choices: PATIENT })
  const { alice, bob } = bed.wallets
  const [mute, other] = [await bed.join('pool_launches', alice), await bed.join('pool_launches', bob)]
  bed.inject({ fault, muteMs, where: { clients: { addresses: [alice.address] } } })
  const openIds = () => bed.gateway.sockets().map(({ id }) => id)
  /** What it has sent is dealt with once its room is left; what the other got meanwhile. */
  const heardOut = async () => {
    mute.send({ action: 'unsubscribe', room: 'pool_launches' })
    const came = []
    while (bed.gateway.sockets()[0]?.rooms !== 0) came.push(...(await other.settle()))
    return came
  }
  return { bed, mute, other, openIds, heardOut }
}

/** Everything that has ever come. */
async function everything({ socket, closed }: FeedClient, from: () => Promise<void>): Promise<string[]> {
  const came: string[] = []
  socket.on('message', (data) => came.push(String(data)))
  socket.on('pong', () => came.push('pong'))
  socket.on('ping', () => came.push('ping'))
  await from()
  await closed
  return came
}

test('nothing comes any more, no event, no answer, no pong; what it sends is acted on; then it is cut', async () => {
  const { bed, mute, heardOut, openIds } = await mutedBed()
  const came = await everything(mute, async () => {
    bed.emit({ launches: bed.pools.slice(0, 1) })
    mute.send({ action: 'synchronize' })
    mute.send('nonsense')
    mute.socket.ping()
    expect(told(await heardOut())).toEqual([`PoolLaunch ${bed.pools[0]?.id}`])
    bed.clock.advance(999)
    expect(openIds()).toEqual([1, 2])
    bed.clock.advance(1)
  })
  expect(came).toEqual([])
  expect(await mute.closed).toEqual({ code: 1006, reason: '' })
  expect(openIds()).toEqual([2])
})

test('stays open for its peer when its ticket expires, when the heart beats and when the feed restarts', async () => {
  const { bed, mute, other, openIds } = await mutedBed({ muteMs: 3_600_000 })
  const came = await everything(mute, async () => {
    for (let beat = 0; beat < 4; beat++) {
      await other.settle()
      bed.beat()
    }
    bed.clock.advance(60_000)
    expect(openIds()).toEqual([])
    await other.closed
    bed.gateway.restart()
    bed.clock.advance(3_539_999)
    await (await bed.connect()).settle()
    expect(mute.socket.readyState).toBe(mute.socket.OPEN)
    bed.clock.advance(1)
  })
  expect(came).toEqual([])
  expect((await mute.closed).code).toBe(1006)
})

test.each<[string, (bed: Awaited<ReturnType<typeof createTestBed>>) => unknown]>([
  ['the plan is cleared', ({ faults }) => faults.clear()],
  ['the feed ends', ({ gateway }) => gateway.close()],
])('is cut when %s', async (_what, end) => {
  const { bed, mute } = await mutedBed({ muteMs: 3_600_000 })
  await end(bed)
  expect((await mute.closed).code).toBe(1006)
})

test('does not answer a close frame: the socket counts as closing, and another one can be opened', async () => {
  const { bed, mute } = await mutedBed({ muteMs: 1000 })
  mute.socket.close()
  const again = await bed.join('pool_launches')
  expect(mute.socket.readyState).toBe(mute.socket.CLOSING)
  bed.emit({ launches: bed.pools.slice(0, 1) })
  expect(await again.synchronize()).toHaveLength(1)
  bed.clock.advance(1000)
  expect((await mute.closed).code).toBe(1006)
})
