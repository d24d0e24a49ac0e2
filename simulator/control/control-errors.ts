/** Every error of the control API: its code, the status it comes with, and what it says. */
export const CONTROL_ERRORS = {
  invalid_request: { status: 400, error: 'the body or the query is not what this resource takes' },
  faults_misfit: { status: 400, error: 'the fault plan does not fit this exchange' },
  unauthorized: { status: 401, error: 'Authorization: Bearer with the control token is needed' },
  host_refused: { status: 403, error: 'the Host header must name the loopback' },
  not_found: { status: 404, error: 'there is no such resource' },
  snapshot_unknown: { status: 404, error: 'there is no such snapshot' },
  socket_unknown: { status: 404, error: 'there is no such socket' },
  node_unknown: { status: 404, error: 'there is no such gateway node' },
  transaction_refused: { status: 409, error: 'the chain refuses the transaction' },
  snapshots_full: { status: 409, error: 'there are too many snapshots' },
  reorg_too_deep: { status: 409, error: 'the chain does not go back so far' },
  internal: { status: 500, error: 'internal error' },
} as const satisfies Record<string, { status: number; error: string }>

export type ControlErrorCode = keyof typeof CONTROL_ERRORS

/** Thrown by a resource to answer with an error body. */
export class ControlRefusal extends Error {
  readonly code: ControlErrorCode

  constructor(code: ControlErrorCode, detail: string) {
    super(detail)
    this.name = 'ControlRefusal'
    this.code = code
  }
}
