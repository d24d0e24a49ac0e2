import type { Choices } from '../../contract/profile.ts'
import { pickText } from './pick.ts'

/**
 * Looks for credentials where they must not be. In addresses: in headers, in bodies and in the address of a request itself,
 * where the target may have told what goes into it. And, of those that have one place only, anywhere else. Free of k6.
 */
export type Watched = {
  /** What was asked, for people: method and path. */
  asked: string
  url: string
  headers: Readonly<Record<string, string>>
  text: string
  json: unknown
}

/** What people read. A cookie is one that the profile does not name: it may be no session token. */
export type SecretKind = 'a cookie' | 'a session token' | 'a CSRF token' | 'an API token'

/**
 * Those whose one place is stated: the cookies of a session, and the response that makes an API token (specification,
 * Authentication 4.3 and 6). Of a CSRF token it is not stated where else it may be.
 */
const CONFINED: readonly SecretKind[] = ['a session token', 'an API token']

/** In an address, or anywhere else but in the place that is stated. */
export type Misplaced = 'in addresses' | 'elsewhere'

export type SecretWatch = {
  /** To be told of what a response hands out before it is looked at. */
  learn(secret: string | undefined, kind: SecretKind): void
  look(answer: Watched): void
  /** Forgets what it knows: for a world that went back, and hands out the same texts for other purposes. */
  forget(): void
  /** What was found since it was last asked for: a line each, without the secret. */
  takeFound(): Record<Misplaced, string[]>
  answers(): number
  secrets(): number
}

/** Shorter ones, as a `1` that a cookie holds, stand in any address by chance. */
const LENGTH_MIN = 12
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi
const ATTRIBUTE = /(?:href|src|action)\s*=\s*["']?([^"'\s>]+)/gi
/** Where a session token belongs. */
const COOKIES = 'set-cookie'
const ADDRESS_HEADERS = ['location', 'content-location', 'link', 'refresh']

type Known = {
  kind: SecretKind
  /** As it is, and as addresses have it. */
  forms: readonly string[]
  /** As a JSON body may have it too: with `\/` for a slash. */
  bodyForms: readonly string[]
}

/** A watch that knows no secret and has seen no answer yet. */
export function createSecretWatch(): SecretWatch {
  const known = new Map<string, Known>()
  /** Learned since the last look: handed out by the response that is looked at next. */
  let fresh = new Set<Known>()
  let found: Record<Misplaced, string[]> = { 'in addresses': [], elsewhere: [] }
  let answers = 0

  const look = (answer: Watched) => {
    answers += 1
    // At once: hundreds of secrets are looked for in each response, and hardly ever found.
    const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
      name === COOKIES ? [] : [value],
    )
    const whole = headers.join('\n')
    for (const secret of known.values()) {
      const isIn = (text: string) => secret.forms.some((form) => text.includes(form))
      const isInBody = secret.bodyForms.some((form) => answer.text.includes(form))
      if (!isInBody && !isIn(whole) && !isIn(answer.url)) continue
      const place = addressOf(secret, answer, isInBody)
      if (place !== undefined) found['in addresses'].push(`${answer.asked}: ${place} holds ${secret.kind}`)
      const mayHoldIt = secret.kind === 'an API token' && fresh.has(secret)
      const other = CONFINED.includes(secret.kind) && !mayHoldIt && otherPlaceOf(secret, answer, isInBody)
      if (other) found.elsewhere.push(`${answer.asked}: ${other} holds ${secret.kind}`)
    }
    fresh = new Set()
  }
  return {
    learn(secret, kind) {
      if (secret === undefined || secret.length < LENGTH_MIN || known.has(secret)) return
      const forms = [...new Set([secret, encodeURIComponent(secret)])]
      const bodyForms = [...new Set(forms.flatMap((form) => [form, form.replace(/\//g, '\\/')]))]
      const made = { kind, forms, bodyForms }
      known.set(secret, made)
      fresh.add(made)
    },
    look,
    forget: () => known.clear(),
    takeFound() {
      const taken = {
        'in addresses': [...new Set(found['in addresses'])],
        elsewhere: [...new Set(found.elsewhere)],
      }
      found = { 'in addresses': [], elsewhere: [] }
      return taken
    },
    answers: () => answers,
    secrets: () => known.size,
  }
}

function addressOf({ forms }: Known, answer: Watched, isInBody: boolean): string | undefined {
  const { url, headers, text, json } = answer
  const holds = (address: string) => forms.some((form) => address.includes(form))
  if (holds(url)) return 'the address of the request'
  for (const name of ADDRESS_HEADERS) if (holds(headers[name] ?? '')) return `the header ${name}`
  if (!isInBody) return undefined
  return addressesIn(json ?? text).some((address) => holds(address) && !forms.includes(address))
    ? 'an address in the body'
    : undefined
}

function otherPlaceOf({ forms }: Known, { headers }: Watched, isInBody: boolean): string | undefined {
  for (const [name, value] of Object.entries(headers))
    if (name !== COOKIES && forms.some((form) => value.includes(form))) return `the header ${name}`
  return isInBody ? 'the body' : undefined
}

/** Whole addresses anywhere in a text, and texts of a JSON body that are paths. */
function addressesIn(body: unknown): string[] {
  const found: string[] = []
  const left = [body]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') for (const address of addressesInText(value)) found.push(address)
    else if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) left.push(inner)
  }
  return found
}

function addressesInText(text: string): string[] {
  const path = /^\.{0,2}\/\S*$/.test(text) ? [text] : []
  const attributes = [...text.matchAll(ATTRIBUTE)].map(([, address = '']) => address)
  return [...path, ...attributes, ...(text.match(ADDRESS) ?? [])]
}

type Answer = {
  path: string
  json: unknown
  cookies: readonly { name: string; value: string; httpOnly: boolean }[]
}

/**
 * Tells the watch of the credentials that a reply hands out: the two cookies (where the profile does not name them, all that
 * scripts cannot read), the CSRF token and the API token.
 */
export function learnCredentials(
  watch: Pick<SecretWatch, 'learn'>,
  { path, json, cookies }: Answer,
  choices: Pick<Choices, 'cookies' | 'verify'>,
): void {
  const names: readonly (string | null)[] = [choices.cookies.access, choices.cookies.refresh]
  for (const { name, value, httpOnly } of cookies) {
    if (names.includes(name)) watch.learn(value, 'a session token')
    else if (names.includes(null) && httpOnly) watch.learn(value, 'a cookie')
  }
  if (/^\/auth\/(verify|refresh)$/.test(path))
    watch.learn(pickText(json, choices.verify.csrfToken), 'a CSRF token')
  if (path === '/api-tokens') watch.learn(pickText(json, 'data.token'), 'an API token')
}
