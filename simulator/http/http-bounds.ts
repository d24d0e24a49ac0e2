/**
 * How long a connection may take to say what it wants, and how many there may be. In real time, like everything about
 * the transport: the world's clock may stand still, or run a month in a second, while a peer writes its request.
 */
export type HttpBounds = {
  /** From the connection, or the first byte of a further request, to the end of the headers; then 408. */
  readonly headersMs: number
  /** The same to the end of the body. */
  readonly requestMs: number
  /** How often the two are looked at: a connection may live longer by so much. */
  readonly lookMs: number
  /** Open at once, whatever they are doing; a further one is closed unheard. */
  readonly connectionsMax: number
}

export const HTTP_BOUNDS: HttpBounds = {
  headersMs: 10_000,
  requestMs: 30_000,
  lookMs: 1000,
  connectionsMax: 16_000,
}

/** As Node's servers take them; the last is to be set on the server itself. */
export function timeoutsOf({ headersMs, requestMs, lookMs }: HttpBounds) {
  return { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: lookMs }
}
