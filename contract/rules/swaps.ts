import { serverRules } from '../rule.ts'

export const SWAP_RULES = serverRules([
  [
    'swaps.claimed.not-pending',
    'States and transitions',
    'A swap is claimed once claim_tx and claimed_at are present, and unclaimed while it is listed as pending.',
    'no swap that is pending before and after /swaps is read has both fields there',
    'Waits for a pending swap of the wallets with API tokens, then reads /unclaimed, /swaps and /unclaimed, until a swap that was pending is claimed, at most 15 times; fails only if a swap is both four times over at least 5 s.',
  ],
  [
    'swaps.claimed.both-fields',
    'States and transitions',
    'A swap is claimed once claim_tx and claimed_at are present: one of them alone is no state.',
    'no public swap of which nothing remains to claim has one of the two fields alone',
    'Looks at the first and the last page of /swaps; a swap with one field is read again after 5 s before it fails.',
  ],
])
