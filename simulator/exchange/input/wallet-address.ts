import { z } from 'zod'
import type { Choices } from '../../choices/choices.ts'

/** The address of a wallet in a request, as it stands inside. Whether anybody has its key is not known here. */
export function walletAddress({ wire }: Choices) {
  return z
    .string()
    .regex(new RegExp(wire.walletPattern), 'expected the address of a wallet')
    .transform((text) => wire.address.decode(text) ?? text)
    .meta({ description: 'The address of a wallet' })
}
