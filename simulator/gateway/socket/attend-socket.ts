import type { WebSocket } from 'ws'
import type { TellSocket } from '../outbox/tell-socket.ts'
import type { Connection } from './connection.ts'

/** Hands what comes from a socket to its connection, with the clock up to date. Resolves with the close code. */
export function attendSocket(options: {
  socket: WebSocket
  connection: Connection
  sync: () => void
  tell: TellSocket
}): Promise<number> {
  const { socket, connection, sync, tell } = options
  socket.on('message', (data, binary) => {
    sync()
    // as: binaryType is left at its default, with which every message comes as one Buffer
    connection.receive(data as Buffer, { binary })
  })
  socket.on('ping', (bytes) => {
    sync()
    connection.receivePing(bytes)
  })
  socket.on('pong', () => {
    sync()
    connection.receivePong()
  })
  // Broken frames: the library closes with the right code (1002, 1007, 1009); nothing else is to be done.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') tell.frame('too large')
    connection.release()
  })
  return new Promise((resolve) => {
    socket.once('close', (code) => {
      connection.release()
      tell.closed(code)
      resolve(code)
    })
  })
}
