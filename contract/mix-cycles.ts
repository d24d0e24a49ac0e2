/**
 * Steps that use a credential from its creation to its end, with concurrent requests. They need a session. `requests`: how many they
 * send. `seconds`: how long they wait for other things than responses.
 */
export const MIX_CYCLES = {
  'session-cycle': {
    requests: 18,
    seconds: 0,
    does: 'signs in, sends two concurrent refreshes, logs out during other requests, and tries the ended session',
  },
  'token-cycle': {
    requests: 23,
    seconds: 0.1,
    does: 'creates four API tokens, revokes each during its use, and tries the revoked tokens',
  },
  'feed-cycle': {
    requests: 7,
    seconds: 6,
    does: 'joins rooms, leaves half of them, tries the balance room of another wallet, reads the configuration of its revision and of the next one concurrently, and tries an expired ticket',
  },
  'faucet-claims': {
    requests: 2,
    seconds: 0,
    does: 'sends two concurrent faucet claims for the wallet’s address',
  },
} as const satisfies Record<string, { requests: number; seconds: number; does: string }>

export type MixCycleName = keyof typeof MIX_CYCLES

export function isCycle(request: string): request is MixCycleName {
  return request in MIX_CYCLES
}
