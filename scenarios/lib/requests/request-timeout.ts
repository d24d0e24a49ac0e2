/** Time after which a request counts as one without a response. */
export const REQUEST_TIMEOUT_SECONDS = 10
