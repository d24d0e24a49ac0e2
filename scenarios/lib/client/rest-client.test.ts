import { expect, test } from 'vitest'
import { testTools } from '../../../client/test-tools.ts'
import { createStoppableWaits, withStoppablePause } from '../../../client/time-and-chance.ts'
import { createPatience } from '../requests/patient.ts'
import type { Reply } from '../requests/reply.ts'
import type { Credential, RequestSpec } from '../requests/request.ts'
import { afterError, CLIENT_LEFT, ClientStopped, createRestClient, fixedAccess } from './rest-client.ts'

const READ: RequestSpec = { method: 'GET', path: '/swaps' }

/** A client of an exchange that returns these statuses, then 200. */
function openClient(access = fixedAccess(undefined), statuses: number[] = []) {
  const { tools, run } = testTools()
  const waits = createStoppableWaits(tools)
  const sent: (Credential | undefined)[] = []
  const client = createRestClient({
    access,
    waits,
    patiently: createPatience(withStoppablePause(tools, waits, CLIENT_LEFT)),
    once: async ({ credential }) => {
      sent.push(credential)
      const status = statuses.shift() ?? 200
      return { status, headers: {}, contentType: 'application/json', evidence: () => String(status) } as Reply // as: only these are read
    },
  })
  return { client, sent, run }
}

test.each([401, 403])('a fixed credential that gets %d stops its client', async (status) => {
  const bearer = { bearer: 'ss_token' }
  const { client, sent } = openClient(fixedAccess(bearer), [status])
  const error = await client.send(READ).catch((thrown: unknown) => thrown)
  expect(error).toEqual(new ClientStopped(`the exchange denied the client access: ${status}`))
  expect(afterError(error)).toBe('stop')
  await expect(client.send(READ)).rejects.toBe(error)
  expect(sent).toEqual([bearer])
})

test('each attempt sends the newest credential', async () => {
  let current = { bearer: 'first' }
  const access = {
    ...fixedAccess(current),
    credential: () => current,
    async replace() {
      current = { bearer: 'second' }
      return true
    },
  }
  const { client, sent, run } = openClient(access, [503, 401, 503])
  const reply = client.send(READ)
  await run()
  expect((await reply).status).toBe(200)
  expect(sent.map((one) => one === current)).toEqual([false, false, true, true])
})

test('leaving first closes what is open', async () => {
  const log: string[] = []
  const { client } = openClient({ ...fixedAccess(undefined), leave: async () => void log.push('sign out') })
  client.beforeLeaving(async () => void log.push('close'))
  await client.leave()
  expect(log).toEqual(['close', 'sign out'])
})

test('a client that left sends no request that waited for a retry', async () => {
  const { client, sent, run } = openClient(fixedAccess(undefined), [503])
  const read = client.send(READ).catch((error: unknown) => error)
  await run(0)
  await client.leave()
  expect(await read).toBe(CLIENT_LEFT)
  expect(afterError(CLIENT_LEFT)).toBe('stop')
  await run()
  expect(sent).toHaveLength(1)
})
