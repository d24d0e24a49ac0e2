// The stub over TLS: REST over HTTP/2 and HTTP/1.1, the feed over wss, and the effects of faults and bounds on connections.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { CHOICE_SETS } from './choices/choices.ts'
import { faultPlanSchema } from './faults/fault-plan.ts'
import { control, start } from './test-started-stub.ts'
import { overHttp1, overHttp2, type SendRequest, startTls, type TlsStub } from './test-tls-stub.ts'

const VERSIONS = [
  ['HTTP/2', (at: TlsStub) => overHttp2(at).send],
  ['HTTP/1.1', (at: TlsStub) => overHttp1(at).send],
] as const

const withFaults = (...faults: readonly object[]) =>
  startTls({ faults: faultPlanSchema.parse({ description: 'of a test', faults }) })

const of = (route: string) => ({ routes: [`GET ${route}`] })

test('client and server agree on HTTP/2 or HTTP/1.1 by ALPN; the feed speaks HTTP/1.1 alone', async () => {
  const at = await startTls()
  const agreed = async (url: string, ...ALPNProtocols: string[]) => {
    const { hostname: host, port } = new URL(url)
    const socket = connectTls({ host, port: Number(port), ca: at.ca, ALPNProtocols })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    return socket.alpnProtocol
  }
  const { baseUrl, wsUrl } = at.stub.profile
  expect(await agreed(baseUrl, 'h2', 'http/1.1')).toBe('h2')
  expect(await agreed(baseUrl, 'http/1.1')).toBe('http/1.1')
  expect(await agreed(wsUrl, 'h2', 'http/1.1')).toBe('http/1.1')
})

test('its profile names https and wss for the target, and plain HTTP for the control API', async () => {
  const { stub } = await startTls()
  const { baseUrl, wsUrl, metrics, control: controlUrl } = stub.profile
  expect([baseUrl, wsUrl, metrics, controlUrl ?? ''].map((url) => url?.split(':')[0])).toEqual([
    'https',
    'wss',
    'https',
    'http',
  ])
})

test.each(VERSIONS)(
  'over %s responses equal those of plain HTTP, including many concurrent ones',
  async (_, open) => {
    const request = open(await startTls())
    const plain = await start({})
    const paths = [
      '/pools?limit=100',
      '/explore/pools?limit=3',
      '/tokens',
      '/swaps',
      '/nowhere',
      '/pools/stats',
    ]
    const bodies = await Promise.all(
      Array.from({ length: 10 }, () => paths.map((path) => request(path))).flat(),
    )
    const sameRef = (body: string) => body.replace(/"ref":"\w+"/, '')
    for (const [index, { status, body, error }] of bodies.entries()) {
      const path = paths[index % paths.length] ?? ''
      const expected = await fetch(`${plain.profile.baseUrl}${path}`)
      const same = { path, status: expected.status, body: sameRef(await expected.text()), error: null }
      expect({ path, status, body: sameRef(body), error }).toEqual(same)
    }
  },
)

test.each(Object.keys(CHOICE_SETS) as (keyof typeof CHOICE_SETS)[])(
  'with the choices %s cookies are Secure, and __Host- where their path allows; they sign in over either version',
  async (choices) => {
    const at = await startTls({ choices })
    const set = CHOICE_SETS[choices]
    const { access, refresh } = at.stub.profile.choices.cookies
    const isForAll = set.cookies.refreshPath === '/'
    expect(access).toBe(`__Host-${set.profile.cookies.access}`)
    expect(refresh).toBe(`${isForAll ? '__Host-' : ''}${set.profile.cookies.refresh}`)
    const { send } = overHttp2(at)
    const lines = await signIn(at, send)
    for (const line of lines) expect(line).toMatch(/; Secure/)
    for (const line of lines.filter((each) => each.startsWith('__Host-')))
      expect(line).toMatch(/; Path=\/(;|$)(?!.*Domain)/)
    expect(lines.map((line) => line.split('=')[0])).toEqual(expect.arrayContaining([access, refresh]))
    const cookie = lines.map((line) => line.split(';')[0]).join('; ')
    expect((await send('/access/status', { headers: { cookie } })).status).toBe(200)
    expect((await overHttp1(at).send('/access/status', { headers: { cookie } })).status).toBe(200)
    expect((await send('/access/status')).status).toBe(401)
  },
)

async function signIn({ stub }: TlsStub, request: SendRequest): Promise<readonly string[]> {
  const { address, privateKeyJwk } = stub.wallets.find(({ hasAccess }) => hasAccess) ?? {}
  if (!privateKeyJwk) throw new Error('demo wallets carry their key')
  const challenge = await request('/auth/challenge', { method: 'POST', body: { address } })
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', privateKeyJwk, algorithm, false, ['sign'])
  const message = new TextEncoder().encode(JSON.parse(challenge.body).data.message)
  const signed = Buffer.from(await crypto.subtle.sign(algorithm, key, message))
  const body = { address, signature: signed.toString(stub.profile.choices.signature.encoding) }
  const verified = await request('/auth/verify', { method: 'POST', body })
  expect(verified.status).toBeLessThan(300)
  return verified.headers['set-cookie'] ?? []
}

test.each(VERSIONS)('over %s a fault cuts the connection', async (_, open) => {
  const request = open(await withFaults({ fault: 'http-reset' }))
  expect(await request('/health')).toMatchObject({ status: 0, body: '', error: 'ECONNRESET' })
})

test('over HTTP/2 a cut connection ends its other requests, and no other connection', async () => {
  const where = of('/health')
  const at = await withFaults({ fault: 'http-reset', where }, { fault: 'http-hang', where: of('/tokens') })
  const [one, other] = [overHttp2(at), overHttp2(at)]
  expect((await other.send('/ready')).status).toBe(200)
  const hanging = one.send('/tokens')
  await one.send('/health')
  expect((await hanging).error).toBe('ECONNRESET')
  expect((await other.send('/ready')).status).toBe(200)
})

test.each(VERSIONS)('over %s a body is cut short of what its head promises', async (version, open) => {
  const at = await withFaults({ fault: 'http-truncated', where: of('/tokens') })
  const request = open(at)
  const { status, headers, body, error } = await request('/tokens')
  expect({ status, error }).toEqual({
    status: 200,
    error: version === 'HTTP/2' ? 'ERR_HTTP2_STREAM_ERROR' : 'ECONNRESET',
  })
  expect(Buffer.byteLength(body)).toBe(Math.floor(Number(headers['content-length']) / 2))
  expect((await request('/health')).status).toBe(200)
})

test.each(VERSIONS)('over %s a body is cut to nothing', async (_, open) => {
  const request = open(await withFaults({ fault: 'http-truncated', keepPercent: 0 }))
  expect(await request('/health')).toMatchObject({ status: 200, body: '', error: expect.stringMatching(/./) })
})

test.each(VERSIONS)('over %s a slow body arrives complete, and a late response late', async (_, open) => {
  const at = await withFaults(
    { fault: 'http-bandwidth', where: of('/health'), bytesPerSecond: 10 },
    { fault: 'http-latency', where: of('/ready'), latency: { distribution: 'fixed', ms: 500 } },
  )
  const request = open(at)
  for (const path of ['/health', '/ready']) {
    let done = false
    const responded = request(path).finally(() => (done = true))
    await waiting(at)
    expect(done).toBe(false)
    while (!done) await control(at.stub, '/clock/advance', { ms: 100 })
    expect(await responded).toMatchObject({ status: 200, error: null })
  }
})

test.each(VERSIONS)('over %s every other response fault equals that over plain HTTP', async (_, open) => {
  const at = await withFaults(
    { fault: 'http-error', where: of('/health') },
    { fault: 'http-429', where: of('/ready') },
    { fault: 'http-malformed', where: of('/tokens'), as: 'cut-json' },
  )
  const request = open(at)
  const [error, limited, malformed] = [
    await request('/health'),
    await request('/ready'),
    await request('/tokens'),
  ]
  expect(error).toMatchObject({ status: 503, error: null })
  expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) }, error: null })
  expect([malformed.status, malformed.error]).toEqual([200, null])
  expect(() => JSON.parse(malformed.body)).toThrow()
})

test('a client that cancels a stream leaves the queue of a service rate', async () => {
  const at = await startTls({ serviceRate: 1 })
  const { session, send } = overHttp2(at)
  await send('/tokens')
  const left = session.request({ ':path': '/tokens' })
  await waiting(at, 'breakwater_service_queue_requests 1')
  left.close()
  await waiting(at, 'breakwater_service_queue_requests 0')
})

test.each([
  ['ws-handshake-reset', {}, 'ECONNRESET'],
  ['ws-handshake-error', {}, 'Unexpected server response: 503'],
])('an upgrade over TLS is subject to the fault %s', async (fault, options, says) => {
  const { stub, ca } = await withFaults({ fault, ...options })
  const [error] = await once(new WebSocket(`${stub.profile.wsUrl}/ws`, { ca }), 'error')
  expect(String(error.message)).toContain(says)
})

test('the feed works over TLS, and each socket is closed with 1012 as the stub ends; HTTP/2 sessions end too', async () => {
  const at = await startTls()
  const { send, session } = overHttp2(at)
  const ticket = await send('/auth/ws-ticket', {
    headers: { authorization: `Bearer ${at.stub.apiTokens[0]}` },
  })
  const feed = new WebSocket(`${at.stub.profile.wsUrl}/ws`, { ca: at.ca })
  await once(feed, 'open')
  feed.send(JSON.stringify({ action: 'authenticate', token: JSON.parse(ticket.body).data.ticket }))
  const [data] = await once(feed, 'message')
  expect(JSON.parse(String(data))).toMatchObject({ control: 'authenticated' })
  const ended = [once(feed, 'close'), once(session, 'close')]
  await at.stub.close()
  expect((await Promise.all(ended))[0]?.[0]).toBe(1012)
})

test('the documents contain the actual addresses', async () => {
  const at = await startTls()
  const { send } = overHttp2(at)
  const feed = JSON.parse((await send('/asyncapi.json')).body).servers.feed
  expect(feed).toMatchObject({ protocol: 'wss', host: new URL(at.stub.profile.wsUrl).host })
  const document = JSON.parse((await send('/openapi.json')).body)
  expect(document.servers).toEqual([{ url: '/' }])
  expect(document.components.securitySchemes.session.name).toBe('__Host-access')
})

test('a page on https://localhost may call, and sees the status of a path that cannot be decoded', async () => {
  const { send } = overHttp2(await startTls())
  const headers = { origin: 'https://localhost:5173' }
  for (const [path, status] of [
    ['/health', 200],
    ['/pools/%zz', 400],
  ] as const) {
    const responded = await send(path, { headers })
    expect(responded.status).toBe(status)
    expect(responded.headers['access-control-allow-origin']).toBe(headers.origin)
  }
})

test('a connection that is not TLS is cut, without cost for other clients', async () => {
  const at = await startTls()
  const { send } = overHttp2(at)
  const request = httpRequest(at.stub.profile.baseUrl.replace('https', 'http')).end()
  const [error] = await once(request, 'error')
  expect(error.code).toBe('ECONNRESET')
  expect((await send('/health')).status).toBe(200)
})

test('journal and metrics include requests over HTTP/2', async () => {
  const at = await startTls()
  const { send } = overHttp2(at)
  await send('/tokens')
  expect((await send('/metrics')).body).toContain('route="/tokens",status="2xx"} 1')
  const headers = { authorization: `Bearer ${at.stub.controlToken}` }
  const journal = await (await fetch(`${at.stub.profile.control}/journal`, { headers })).text()
  expect(journal).toContain('"route":"/tokens"')
})

/** Waits until the metrics show it; by default, until a request has arrived. */
async function waiting(at: TlsStub, text?: string): Promise<void> {
  const { send } = overHttp2(at)
  if (text === undefined) return void (await send('/metrics'))
  while (!(await send('/metrics')).body.includes(text)) await new Promise((turn) => setImmediate(turn))
}
