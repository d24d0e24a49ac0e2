import { z } from 'zod'
import type { Codec } from '../choices/wire.ts'

/** An id or address of a request, as it stands inside; `lengthMax` bounds how it is spelt. */
export function decoded(codec: Codec, options: { what: string; lengthMax: number }) {
  const { what, lengthMax } = options
  return z
    .string()
    .min(1)
    .max(lengthMax)
    .transform((text, context) => {
      const internal = codec.decode(text)
      if (internal !== undefined) return internal
      context.addIssue(`expected ${what}`)
      return z.NEVER
    })
}

/** The address of a wallet. Whether anybody has its key is not known to the exchange. */
export function walletAddress(codec: Codec) {
  return decoded(codec, { what: EXPECTED_ADDRESS, lengthMax: ADDRESS_LENGTH_MAX })
    .refine((address) => ADDRESS.test(address), { error: `expected ${EXPECTED_ADDRESS}` })
    .meta({ description: 'The address of a wallet' })
}

const EXPECTED_ADDRESS = 'the address of a wallet'
const ADDRESS_LENGTH_MAX = 128
/** `bw1` and 58 characters of bech32. */
const ADDRESS = /^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$/
