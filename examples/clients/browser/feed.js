/** The live feed for a page: one socket after another, always authenticated, always in the same rooms. */

/** A ticket lasts 60 seconds. */
const RENEW_MS = 45_000
const BACKOFF_MS = { first: 500, max: 30_000 }

/**
 * `ticket` gets a fresh ticket. `onEvent` is given each event; `onRefetch` is called once the rooms are joined and
 * whenever events may have been missed: REST is the source of truth, so load anew what depends on the feed. Both may be
 * asynchronous; one ends before the next begins, in the order of the frames. `onStop` is told why there are no more
 * tickets to be had.
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
      // The session is over, or the wallet has no access: no other ticket will do better.
      if (error.status === 401 || error.status === 403) return onStop(error)
      return reconnectLater()
    }
    if (isClosed) return
    socket = new WebSocket(`${wsUrl}/ws`)
    const { send, opened } = framesOf(socket)
    // What authentication is answered with is not stated; the answer to this says that it succeeded.
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
      if (renewed === undefined) return // the old ticket will end the socket, and all begins anew
      send({ action: 'authenticate', token: renewed })
      send({ action: 'synchronize' }) // answered once the ticket has been dealt with
    }, RENEW_MS)
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(data)
      if (frame.control === 'synchronized') synchronized()
      else if (frame.control === 'resync_required') inOrder(onRefetch)
      else if (frame.type !== undefined) inOrder(() => onEvent(frame))
      // Other controls may come, and are ignored.
    })
    socket.addEventListener('close', () => {
      clearInterval(renewal)
      if (!isClosed) reconnectLater()
    })
    await opened
    send({ action: 'authenticate', token })
    send({ action: 'synchronize' })
  }

  /** Backoff with full jitter, so that a restart does not bring everybody back at once. */
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

function framesOf(socket) {
  return {
    opened: new Promise((done) => socket.addEventListener('open', done)),
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
    },
  }
}
