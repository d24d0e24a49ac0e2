import type { Choices } from '../../contract/profile.ts'
import { pickText } from './pick.ts'

/**
 * Finds misplaced credentials: in URLs (headers, bodies and the request URL itself, which may contain values
 * from the target), and, for credentials that belong in one place, anywhere else. Independent of k6.
 */
export type Watched = {
  /** Method and path. */
  operation: string
  url: string
  headers: Readonly<Record<string, string>>
  text: string
  json: unknown
}

/** For display. `a cookie` is one that the profile does not name; it may not be a session token. */
export type SecretKind = 'a cookie' | 'a session token' | 'a CSRF token' | 'an API token'

/**
 * Credentials confined to one place: session cookies, and the response that creates an API token
 * (specification, Authentication 4.3 and 6). The specification does not confine the CSRF token.
 */
const CONFINED: readonly SecretKind[] = ['a session token', 'an API token']

export type Misplaced = 'in addresses' | 'elsewhere'

export type SecretWatch = {
  /** Call with the credentials of a response before `look`. */
  learn(secret: string | undefined, kind: SecretKind): void
  check(response: Watched): void
  /** Drops known secrets, for a world that was reverted and reuses the same values. */
  forget(): void
  /** Returns the findings since the last call, one line each, without the secrets. */
  takeFound(): Record<Misplaced, string[]>
  answers(): number
  secrets(): number
}

/** Shorter values, such as a cookie value `1`, occur in URLs by chance. */
const LENGTH_MIN = 12
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi
const ATTRIBUTE = /(?:href|src|action)\s*=\s*["']?([^"'\s>]+)/gi
const COOKIES = 'set-cookie'
const ADDRESS_HEADERS = ['location', 'content-location', 'link', 'refresh']

type Known = {
  kind: SecretKind
  /** Plain and URL-encoded. */
  forms: readonly string[]
  /** Also with JSON's escaped slash, `\/`. */
  bodyForms: readonly string[]
}

export function createSecretWatch(): SecretWatch {
  const known = new Map<string, Known>()
  /** Issued by the response that is checked next. */
  let fresh = new Set<Known>()
  let found: Record<Misplaced, string[]> = { 'in addresses': [], elsewhere: [] }
  let responses = 0

  const check = (response: Watched) => {
    responses += 1
    // One search over everything, because each response is checked for hundreds of secrets and rarely contains one.
    const headers = Object.entries(response.headers).flatMap(([name, value]) =>
      name === COOKIES ? [] : [value],
    )
    const whole = [response.url, ...headers, response.text].join('\n')
    for (const secret of known.values()) {
      if (!holdsAny(whole, secret.bodyForms)) continue
      const isInBody = holdsAny(response.text, secret.bodyForms)
      const place = findAddressLeak(secret, response, isInBody)
      if (place !== undefined)
        found['in addresses'].push(`${response.operation}: ${place} holds ${secret.kind}`)
      const mayHoldIt = secret.kind === 'an API token' && fresh.has(secret)
      const other = CONFINED.includes(secret.kind) && !mayHoldIt && findOtherLeak(secret, response, isInBody)
      if (other) found.elsewhere.push(`${response.operation}: ${other} holds ${secret.kind}`)
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
    check,
    forget: () => known.clear(),
    takeFound() {
      const taken = {
        'in addresses': [...new Set(found['in addresses'])],
        elsewhere: [...new Set(found.elsewhere)],
      }
      found = { 'in addresses': [], elsewhere: [] }
      return taken
    },
    answers: () => responses,
    secrets: () => known.size,
  }
}

/** Without a closure: called for each secret on each response. */
function holdsAny(text: string, forms: readonly string[]): boolean {
  for (const form of forms) if (text.includes(form)) return true
  return false
}

function findAddressLeak({ forms }: Known, response: Watched, isInBody: boolean): string | undefined {
  const { url, headers, text, json } = response
  const holds = (address: string) => holdsAny(address, forms)
  if (holds(url)) return 'the address of the request'
  for (const name of ADDRESS_HEADERS) if (holds(headers[name] ?? '')) return `the header ${name}`
  if (!isInBody) return undefined
  return addressesIn(json ?? text).some((address) => holds(address) && !forms.includes(address))
    ? 'an address in the body'
    : undefined
}

function findOtherLeak({ forms }: Known, { headers }: Watched, isInBody: boolean): string | undefined {
  for (const [name, value] of Object.entries(headers))
    if (name !== COOKIES && holdsAny(value, forms)) return `the header ${name}`
  return isInBody ? 'the body' : undefined
}

/** Collects URLs in text, and strings of a JSON body that are paths. */
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

type ReplyParts = {
  path: string
  json: unknown
  cookies: readonly { name: string; value: string; httpOnly: boolean }[]
}

/**
 * Registers the credentials that a reply issues: the two session cookies (or all HttpOnly cookies if the
 * profile does not name them), the CSRF token and the API token.
 */
export function learnCredentials(
  watch: Pick<SecretWatch, 'learn'>,
  { path, json, cookies }: ReplyParts,
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
