import { get, type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'

/** For tests: one request to a live view. */
export function fetchLive(
  url: string,
  options: { method?: string; host?: string; path?: string } = {},
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }> {
  const { method = 'GET', host, path } = options
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      ...(path !== undefined && { path }),
      ...(host !== undefined && { headers: { Host: host } }),
    })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      resolve({
        status: response.statusCode,
        headers: response.headers,
        body: Buffer.concat(parts).toString('utf8'),
      })
    })
    sent.end()
  })
}

/** For tests: the events of a live view, in order; ends with the stream. */
export async function* liveEvents(url: string): AsyncGenerator<{ id: string; data: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = get(`${url}events`, { agent: false }, resolve).on('error', reject)
    onTestFinished(() => {
      sent.destroy()
    })
  })
  let text = ''
  for await (const part of response.setEncoding('utf8')) {
    text += part
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(event) ?? []
      if (id !== undefined && data !== undefined) yield { id, data }
    }
  }
}

/** For tests: the next value of a generator that has one. */
export async function nextOf<T>(values: AsyncGenerator<T>): Promise<T> {
  const { value, done } = await values.next()
  if (done) throw new Error('there is no other value')
  return value
}
