import { REQUEST_TIMEOUT_SECONDS } from '../requests/request-timeout.ts'

/** Time for a client's last request, also one that times out, and its logout when the load ends. */
export const LEAVE_SECONDS = REQUEST_TIMEOUT_SECONDS + 5
