import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { fetchJson } from './read-bounded.ts'

async function serve(listener: RequestListener): Promise<{ url: string; closed: Promise<unknown> }> {
  let onClosed = (_: unknown) => {}
  const closed = new Promise((resolve) => {
    onClosed = resolve
  })
  const server = createServer((request, response) => {
    response.on('close', onClosed)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed } // as: it listens on a port
}

test.each([
  { what: 'JSON', body: '{"a":1}', read: { a: 1 } },
  { what: 'no JSON', body: '<p>', read: undefined },
  { what: 'nothing', body: '', read: undefined },
  { what: '8 MiB', body: `"${'x'.repeat(8 * 2 ** 20 - 2)}"`, read: 'x'.repeat(8 * 2 ** 20 - 2) },
  { what: 'more', body: `"${'x'.repeat(8 * 2 ** 20 - 1)}"`, read: undefined },
])('reads $what', async ({ body, read }) => {
  const { url } = await serve((_, response) => response.writeHead(201).end(body))
  expect(await fetchJson(url, { timeoutMs: 30_000 })).toEqual({ status: 201, ok: true, body: read })
})

test('follows no redirect', async () => {
  const { url } = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end())
  expect((await fetchJson(url, { timeoutMs: 30_000 })).status).toBe(302)
})

test.each<{ what: string; listener: RequestListener }>([
  { what: 'says nothing', listener: () => {} },
  { what: 'stops in the middle', listener: (_, response) => response.writeHead(200).write('{"a"') },
  {
    what: 'is truncated inside its encoding',
    listener: ({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n{"data":{}}', () =>
        socket.resetAndDestroy(),
      ),
  },
])('rejects after its time if a response $what', async ({ listener }) => {
  const { url } = await serve(listener)
  await expect(fetchJson(url, { timeoutMs: 300 })).rejects.toThrow('no whole response in 300 ms')
})

test('drops an endless body and closes the connection', async () => {
  const { url, closed } = await serve((_, response) => {
    const fill = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', fill)
    fill()
  })
  expect((await fetchJson(url, { timeoutMs: 30_000 })).body).toBeUndefined()
  await closed
})

test('an interruption ends it at once', async () => {
  const { url } = await serve(() => interrupting.abort())
  const interrupting = new AbortController()
  await expect(fetchJson(url, { timeoutMs: 30_000, interrupted: interrupting.signal })).rejects.toThrow()
  await expect(fetchJson(url, { timeoutMs: 30_000, interrupted: interrupting.signal })).rejects.toThrow()
})
