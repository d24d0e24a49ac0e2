/**
 * Steps that use a credential from its creation to its end, with concurrent requests. They need a session. `requests`: how many they
 * send.
 */
export const MIX_CYCLES = {
  'session-cycle': {
    requests: 18,
    does: 'signs in, sends two concurrent refreshes, logs out during other requests, and tries the ended session',
  },
  'token-cycle': {
    requests: 23,
    does: 'creates four API tokens, revokes each during its use, and tries the revoked tokens',
  },
  'faucet-claims': { requests: 2, does: 'sends two concurrent faucet claims for the wallet’s address' },
} as const satisfies Record<string, { requests: number; does: string }>

export type MixCycleName = keyof typeof MIX_CYCLES

export function isCycle(request: string): request is MixCycleName {
  return request in MIX_CYCLES
}
