import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type MeetingProxy = {
  port: number
  /** From now on, holds such requests (`POST /auth/refresh`) until `count` are there, and lets them go on together. */
  gather(line: string, count: number): void
  /** What those were answered, lowest first. */
  statuses(): number[]
}

/** Passes requests on to `target`: a race that is to take place each time, and not by luck, is started here. */
export async function meetingProxy(target: string): Promise<MeetingProxy> {
  const held: (() => void)[] = []
  const statuses: number[] = []
  let awaited = { line: '', count: 0 }

  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const isRacer = `${method} ${url}` === awaited.line
    const pass = () => {
      const onward = forward(`${target}${url}`, { method, headers, agent: false }, (answer) => {
        const { statusCode = 0, rawHeaders } = answer
        if (isRacer) statuses.push(statusCode)
        answer.pipe(response.writeHead(statusCode, rawHeaders))
      })
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    }
    if (!isRacer) return pass()
    held.push(pass)
    if (held.length >= awaited.count) for (const start of held.splice(0)) start()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    port: (server.address() as AddressInfo).port, // as: it listens on a port
    gather(line, count) {
      awaited = { line, count }
    },
    statuses: () => statuses.toSorted((a, b) => a - b),
  }
}
