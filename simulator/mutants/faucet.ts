import type { MutantTable } from './mutant-table.ts'

export const FAUCET_MUTANTS = {
  'faucet-refuses': { breaks: 'the faucet refuses every claim', rules: ['faucet.claim.accepted'] },
  'faucet-unlimited': {
    breaks: 'an address may claim whenever it likes',
    rules: ['faucet.claim.once', 'faucet.claim.still-refused'],
  },
  'faucet-10-min': {
    breaks: 'an address may claim again after 10 minutes',
    rules: ['faucet.claim.still-refused'],
  },
  'faucet-30-min': { breaks: 'an address has to wait for 30 minutes', rules: ['faucet.claim.again'] },
  'faucet-one-for-all': {
    breaks: 'one claim in 15 minutes is all that the faucet takes, whatever the address',
    rules: ['faucet.claim.per-address'],
  },
} as const satisfies MutantTable
