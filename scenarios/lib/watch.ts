import { createSecretWatch } from './secret-watch.ts'

/** The watch of this VU. It looks on while probes run: virtual users that make load have no time for it. */
export const watch = { ...createSecretWatch(), on: false }
