/** Time after which a request counts as one without a response. */
export const REQUEST_TIMEOUT_SECONDS = 10

/** Time for a client's last request, also one that times out, and its logout when the load ends. */
export const LEAVE_SECONDS = REQUEST_TIMEOUT_SECONDS + 5
