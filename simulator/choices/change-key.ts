import { isField } from '../chain/pair.ts'
import type { Wire } from './wire.ts'

type Change = { scope: string; key: string }
type Codecs = Pick<Wire, 'poolKey' | 'tokenId'>

/** The key of a change on the wire: its pool or its tokens are spelled as in all records. */
export function encodeChangeKey({ scope, key }: Change, wire: Codecs): string {
  const parts = key.split('/')
  const { encode } = scope === 'allowlist' || isField(parts[1]) ? wire.tokenId : wire.poolKey
  return parts.map((part) => (isField(part) ? encode(part) : part)).join('/')
}

/** The internal key of a change from the wire. Keys of pools may have slashes there. */
export function decodeChangeKey({ scope, key }: Change, wire: Codecs): string {
  const [, spelled = key, parts = ''] = /^(.*?)(\/\d+\/\d+)?$/s.exec(key) ?? []
  const pool = scope === 'allowlist' ? undefined : wire.poolKey.decode(spelled)
  if (isField(pool)) return `${pool}${parts}`
  const decodeToken = (part: string) => {
    const id = wire.tokenId.decode(part)
    return isField(id) ? id : part
  }
  return key.split('/').map(decodeToken).join('/')
}
