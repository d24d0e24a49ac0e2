import { config, world } from './config.ts'
import { hasControl } from './control.ts'
import { sharesWallets } from './wallet.ts'

/** With fewer requests than this there is none to spare: they are counted together. */
const TO_SPARE = 5000
/** The most lanes that there may be. */
export const LANES_MAX = 12

/**
 * Whether one VU runs all probes, so that they can take turns: where they share wallets or a clock, and where requests
 * are scarce. Else a VU for each lane, so that no lane's work makes another miss a deadline.
 */
export const oneVu =
  config.given &&
  (sharesWallets(world('main')) || hasControl(world('main')) || (config.requestsMax ?? TO_SPARE) < TO_SPARE)

/** What this VU may send: VUs do not know of each other, so each has its share. */
export const requestsMaxOfVu =
  config.requestsMax === null || oneVu ? config.requestsMax : Math.floor(config.requestsMax / LANES_MAX)
