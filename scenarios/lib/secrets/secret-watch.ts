/**
 * Looks for credentials inside of addresses: in headers, in bodies and in the address of a request itself, where the target
 * may have told what goes into it. Free of k6.
 */
export type Watched = {
  /** What was asked, for people: method and path. */
  asked: string
  url: string
  headers: Readonly<Record<string, string>>
  text: string
  json: unknown
}

export type SecretWatch = {
  /** `kind` is what people read: a cookie, a CSRF token, an API token. */
  learn(secret: string | undefined, kind: string): void
  look(answer: Watched): void
  /** What was found since it was last asked for: a line each, without the secret. */
  takeFound(): string[]
  answers(): number
  secrets(): number
}

/** Shorter ones, as a `1` that a cookie holds, stand in any address by chance. */
const LENGTH_MIN = 12
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi
const ATTRIBUTE = /(?:href|src|action)\s*=\s*["']?([^"'\s>]+)/gi
const ADDRESS_HEADERS = ['location', 'content-location', 'link', 'refresh']

/** A watch that knows no secret and has seen no answer yet. */
export function createSecretWatch(): SecretWatch {
  const kinds = new Map<string, { kind: string; forms: readonly string[] }>()
  let found: string[] = []
  let answers = 0

  const look = (answer: Watched) => {
    answers += 1
    for (const { kind, forms } of kinds.values()) {
      const place = placeOf(forms, answer)
      if (place !== undefined) found.push(`${answer.asked}: ${place} holds ${kind}`)
    }
  }
  return {
    learn(secret, kind) {
      if (secret === undefined || secret.length < LENGTH_MIN || kinds.has(secret)) return
      const encoded = encodeURIComponent(secret)
      kinds.set(secret, { kind, forms: encoded === secret ? [secret] : [secret, encoded] })
    },
    look,
    takeFound() {
      const taken = [...new Set(found)]
      found = []
      return taken
    },
    answers: () => answers,
    secrets: () => kinds.size,
  }
}

function placeOf(forms: readonly string[], { url, headers, text, json }: Watched): string | undefined {
  const holds = (address: string) => forms.some((form) => address.includes(form))
  if (holds(url)) return 'the address of the request'
  for (const name of ADDRESS_HEADERS) if (holds(headers[name] ?? '')) return `the header ${name}`
  // JSON may write a slash as \/.
  if (!forms.some((form) => text.includes(form) || text.includes(form.replace(/\//g, '\\/'))))
    return undefined
  return addressesIn(json ?? text).some((address) => holds(address) && !forms.includes(address))
    ? 'an address in the body'
    : undefined
}

/** Whole addresses anywhere in a text, and texts of a JSON body that are paths. */
function addressesIn(body: unknown): string[] {
  if (typeof body === 'object' && body !== null) return Object.values(body).flatMap(addressesIn)
  if (typeof body !== 'string') return []
  const path = /^\.{0,2}\/\S*$/.test(body) ? [body] : []
  const attributes = [...body.matchAll(ATTRIBUTE)].map(([, address = '']) => address)
  return [...path, ...attributes, ...(body.match(ADDRESS) ?? [])]
}
