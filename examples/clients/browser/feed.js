/** The live feed for a page: reconnects, authenticates and joins its rooms again. */

const RENEW_MS = 45_000
const BACKOFF_MS = { first: 500, max: 30_000 }

/**
 * `ticket` fetches a fresh ticket. `onEvent` gets each event. `onRefetch` is called after the rooms are
 * joined and whenever events may have been missed: REST is the source of truth, so reload what depends on the
 * feed. Both may be asynchronous; calls run one at a time, in frame order. `onStop` gets the error when no
 * more tickets are available.
 */
export function openFeed({ wsUrl, ticket, rooms, onEvent, onRefetch, onStop = () => {} }) {
  let socket
  let attempt = 0
  let isClosed = false
  let handled = Promise.resolve()
  const inOrder = (handle) => {
    handled = handled.then(handle).catch((error) => console.error(error))
  }

  const connect = async () => {
    let token
    try {
      token = await ticket()
    } catch (error) {
      // The session is over, or the wallet has no access: another ticket will not help.
      if (error.status === 401 || error.status === 403) return onStop(error)
      return reconnectLater()
    }
    if (isClosed) return
    socket = new WebSocket(`${wsUrl}/ws`)
    const { send, opened } = wrapSocket(socket)
    // The specification defines no response to authenticate; `synchronized` shows that it succeeded.
    let synchronized = () => {
      for (const room of rooms) send({ action: 'subscribe', room })
      send({ action: 'synchronize' })
      synchronized = () => {
        attempt = 0
        inOrder(onRefetch)
        synchronized = () => {}
      }
    }
    const renewal = setInterval(async () => {
      const renewed = await ticket().catch(() => undefined)
      if (renewed === undefined) return // the old ticket expires, the socket closes and reconnects
      send({ action: 'authenticate', token: renewed })
      send({ action: 'synchronize' }) // confirmed after the ticket has been processed
    }, RENEW_MS)
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(data)
      if (frame.control === 'synchronized') synchronized()
      else if (frame.control === 'resync_required') inOrder(onRefetch)
      else if (frame.type !== undefined) inOrder(() => onEvent(frame))
      // Ignores unknown controls.
    })
    socket.addEventListener('close', () => {
      clearInterval(renewal)
      if (!isClosed) reconnectLater()
    })
    await opened
    send({ action: 'authenticate', token })
    send({ action: 'synchronize' })
  }

  /** Full jitter spreads the reconnects of all clients after a restart. */
  const reconnectLater = () => {
    const delayMs = Math.random() * Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** attempt++)
    setTimeout(connect, delayMs)
  }

  connect()
  return {
    close() {
      isClosed = true
      socket?.close(1000)
    },
  }
}

function wrapSocket(socket) {
  return {
    opened: new Promise((done) => socket.addEventListener('open', done)),
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
    },
  }
}
