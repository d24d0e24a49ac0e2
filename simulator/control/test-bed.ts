/** For tests: a control API over a test world, with a feed and a stub that only record calls. */
import { createActivityJournal } from '../activity-journal.ts'
import { defaultChoices } from '../choices/default-choices.ts'
import { createTestWorld } from '../exchange/test-world.ts'
import { createFaults } from '../faults/faults.ts'
import type { SocketInfo } from '../gateway/gateway.ts'
import { buildControl } from './control.ts'
import { RESOURCES } from './resources.ts'

export const TOKEN = 'control-token'

export const SOCKET: SocketInfo = { id: 1, node: 1, address: null, rooms: 0, droppedEvents: 0 }

export type Call = {
  method?: 'GET' | 'POST' | 'PUT'
  url: string
  body?: object | string
  headers?: Record<string, string>
}

export function createTestBed(failing: { restart?: () => number } = {}) {
  const world = createTestWorld()
  const { clock } = world
  const logLines: string[] = []
  const closes: object[] = []
  let sockets = [SOCKET]
  const gateway = {
    sockets: () => sockets,
    nodes: 1,
    restart() {
      const closed = sockets.length
      sockets = []
      return closed
    },
    closeSocket(id: number, close: object) {
      const open = sockets.find((socket) => socket.id === id)
      if (open) closes.push(close)
      sockets = sockets.filter((socket) => socket !== open)
      return open !== undefined
    },
    ...failing,
  }
  const journal = createActivityJournal({ clock })
  const context = world.saveContext()
  const reset = () => world.startOver(createTestWorld(), context)
  const log = (line: string) => logLines.push(line)
  const faults = createFaults({ clock, world, record: journal.record })
  const app = buildControl({
    observer: null,
    world,
    node: world.node,
    wire: defaultChoices.wire,
    gateway,
    token: TOKEN,
    clock,
    journal,
    faults,
    reset,
    log,
  })
  const call = async ({ method = 'POST', url, body, headers = {} }: Call) => {
    const response = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${TOKEN}`, host: '127.0.0.1:9000', ...headers },
      ...(body !== undefined && { payload: body }),
    })
    const reply = { status: response.statusCode, body: response.json(), headers: response.headers }
    const resource = RESOURCES.find(({ path }) => path === url.split('?')[0])
    if (reply.status === 200) resource?.output.parse(reply.body)
    return reply
  }
  return { world, call, app, journal, closes, logLines }
}
