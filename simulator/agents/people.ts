import { addressFrom } from '../chain/identifiers.ts'
import type { RandomStream } from '../random.ts'

export type People = {
  administrator: string
  /** Opens every pool's first position, over all prices. */
  liquidityProvider: string
  launcher: string
  /** External wallets; they trade most. */
  accounts: readonly string[]
  traders: readonly string[]
  providers: readonly string[]
  arbitrageur: string
}

/** Assigns the external accounts first; all other addresses come from the stream. */
export function createPeople(
  stream: RandomStream,
  options: { accounts: readonly string[]; traders: number; providers: number },
): People {
  const nextAddress = () => addressFrom(Buffer.from(stream.bytes(32)).toString('hex'))
  return {
    administrator: nextAddress(),
    liquidityProvider: nextAddress(),
    launcher: nextAddress(),
    accounts: options.accounts,
    traders: Array.from({ length: options.traders }, nextAddress),
    providers: Array.from({ length: options.providers }, nextAddress),
    arbitrageur: nextAddress(),
  }
}
