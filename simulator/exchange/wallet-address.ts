import { z } from 'zod'
import type { Choices } from '../choices/choices.ts'

/** The address of a wallet in a request, as it stands inside. Whether anybody has its key is not known here. */
export function walletAddress({ wire, challenge }: Choices) {
  return z
    .string()
    .max(challenge.addressLengthMax)
    .transform((text, context) => {
      const address = wire.address.decode(text)
      if (address !== undefined && ADDRESS.test(address)) return address
      context.addIssue('expected the address of a wallet')
      return z.NEVER
    })
    .meta({ description: 'The address of a wallet' })
}

/** `bw1` and 58 characters of bech32. */
const ADDRESS = /^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$/
