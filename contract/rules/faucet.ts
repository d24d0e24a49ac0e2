import { serverRules } from '../rule.ts'

export const FAUCET_RULES = serverRules([
  [
    'faucet.claim.accepted',
    'Limits',
    'An address that has not claimed for 15 minutes may claim from the faucet.',
    'the claim answers 2xx',
    'Claims for two addresses of the profile. If both are refused, an earlier run may have claimed: tried again after 16 minutes. An error counts only if it then comes four times over at least 5 s while /tokens is served.',
  ],
  [
    'faucet.claim.once',
    'Limits',
    'The faucet takes one claim per address per 15 minutes.',
    'a second claim for the same address, at once, is refused with a 4xx',
    'Claims for an address whose claim was just taken.',
  ],
  [
    'faucet.claim.per-address',
    'Limits',
    'The bound of the faucet is one for each address.',
    'another address may claim right after',
    'Claims for a second address right after the first; where that is refused, once more after 16 minutes of silence.',
  ],
  [
    'faucet.claim.still-refused',
    'Limits',
    'The faucet takes one claim per address per 15 minutes.',
    'a second claim 14 minutes after the first is refused with a 4xx',
    'Claims again for an address 14 minutes after its claim was taken.',
    '15 minutes',
  ],
  [
    'faucet.claim.again',
    'Limits',
    'An address that has not claimed for 15 minutes may claim from the faucet.',
    'a second claim 16 minutes after the first answers 2xx',
    'Claims again for an address 16 minutes after its claim was taken, and left alone in between.',
    '15 minutes',
  ],
])
