import { afterOthers, afterOwn, faucet } from './limit-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { error, rest } from './reactions.ts'

const MINUTE_MS = 60_000

export const FAUCET_MUTANTS = {
  'faucet-refuses': {
    breaks: 'the faucet rejects every claim',
    rules: ['faucet.claim.accepted'],
    deviates: rest(faucet, {
      read: (body, { profile }) => {
        delete body[profile.faucet.address]
      },
    }),
  },
  'faucet-unlimited': {
    breaks: 'an address may claim at any time',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
    deviates: { limits: { faucetSeconds: 0 } },
  },
  'faucet-10-min': {
    breaks: 'an address may claim again after 10 minutes',
    rules: ['faucet.claim.still-refused'],
    deviates: { limits: { faucetSeconds: 10 * 60 } },
  },
  'faucet-30-min': {
    breaks: 'an address has to wait 30 minutes',
    rules: ['faucet.claim.again'],
    deviates: rest(faucet, { when: afterOwn(15 * MINUTE_MS, 30 * MINUTE_MS), reply: error(400) }),
  },
  'faucet-one-for-all': {
    breaks: 'the faucet accepts one claim per 15 minutes in total, whatever the address',
    rules: ['faucet.claim.per-address'],
    deviates: rest(faucet, { when: afterOthers, reply: error(400) }),
  },
} as const satisfies DeviationTable
