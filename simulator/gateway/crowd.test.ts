// A whole stub, and ten thousand sockets that never authenticate, opened by another process.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../contract/limits.ts'
import { defaultChoices } from '../choices/default-choices.ts'
import { connectRaw } from '../http/test-raw-peer.ts'
import { startStub } from '../stub.ts'
import { connectFeed } from './test-client.ts'
import type { CrowdMessage } from './test-crowd.ts'
import { UPGRADE } from './test-upgrade.ts'

const SOCKETS = 10_000

test(`${SOCKETS} sockets that never authenticate are rejected or closed, and all others are served`, async () => {
  const stub = await startStub({ world: 'tiny', seed: 7, mutant: null, pace: 'manual' })
  onTestFinished(() => stub.close())
  const { baseUrl, wsUrl } = stub.profile
  const headers = { authorization: `Bearer ${stub.apiTokens[0]}` }
  const read = async (path: string) => {
    const response = await fetch(baseUrl + path, { headers })
    expect(response.status).toBe(200)
    return response.json()
  }
  const signIn = async () => {
    const client = await connectFeed(`${wsUrl}/ws`)
    const { data } = (await read('/auth/ws-ticket')) as { data: { ticket: string } } // as: the default set's
    client.send({ action: 'authenticate', token: data.ticket })
    client.send({ action: 'subscribe', room: 'protocol_config' })
    expect(await client.synchronize()).toEqual([{ control: 'authenticated' }])
    return client
  }
  const witness = await signIn()
  const check = async () => {
    stub.world.changeConfig({ scope: 'pause', key: 'global' })
    stub.world.mine()
    await witness.next('ProtocolConfigChanged')
    await read('/pools')
  }

  const port = new URL(wsUrl).port
  const script = fileURLToPath(new URL('test-crowd.ts', import.meta.url))
  const crowd = fork(script, [port, String(SOCKETS)], { execArgv: ['--import', './tools/typescript.mjs'] })
  onTestFinished(() => void crowd.kill())
  const nextMessage = async (): Promise<CrowdMessage> => (await once(crowd, 'message'))[0]
  expect(await nextMessage()).toEqual({
    responded: {
      101: defaultChoices.feed.strangersPerAddressMax,
      429: SOCKETS - defaultChoices.feed.strangersPerAddressMax,
    },
  })
  await check()
  // A client at another address gets in: Linux routes all of 127.0.0.0/8 to itself.
  const stranger = await connectRaw(Number(port), '127.0.0.2')
  stranger.write(UPGRADE)
  await stranger.received('101 Switching Protocols')

  const closed = nextMessage()
  stub.world.advance(LIMITS.wsAuthenticateSeconds * 1000)
  expect(await closed).toEqual({
    closed: { [defaultChoices.feed.closes.deadlineMissed.code]: defaultChoices.feed.strangersPerAddressMax },
  })
  await check()
  await signIn()
})
