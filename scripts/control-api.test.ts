import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { findControlToken } from './control-api.ts'

const CHECK_ADDRESS =
  'Check that the address is the root of the control API of a stub, or set "control": null to wait in real time.'

test.each([
  {
    status: 401,
    hint: 'Set BREAKWATER_CONTROL_TOKEN to the token that `breakwater stub` printed; every new stub has a new one.',
  },
  { status: 404, hint: CHECK_ADDRESS },
  { status: 500, hint: CHECK_ADDRESS },
])('a control API that returns $status', async ({ status, hint }) => {
  const control = await serve(status)
  const env = { BREAKWATER_CONTROL_TOKEN: 'token' }
  await expect(findControlToken({ control }, { env, file: 'p.json' })).rejects.toMatchObject({
    message: `p.json: control: GET ${control}/status returned ${status}`,
    hint,
    exitCode: 2,
  })
})

async function serve(status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end('{}')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // as: it listens on a port
}
