import type { Choices } from '../../contract/profile.ts'
import { RESPONSE_BOUNDS } from '../../contract/response-bounds.ts'
import { pickText } from './pick.ts'

/**
 * Removes secrets from everything that a scenario writes: registered values, JSON fields with the name of a
 * secret, and texts that look like a token.
 */
export function createRedactor() {
  // A list and objects instead of Set and Map, which cost a k6 VU 20 kB.
  const secrets: string[] = []
  const known: Record<string, true> = Object.create(null)
  // Indexed by prefix: many clients hold thousands of secrets, too many to search each line for.
  const byStart: Record<string, Alike> = Object.create(null)
  const later: (() => readonly (string | undefined)[])[] = []
  const addFromSources = () => {
    for (const source of later.splice(0)) source().forEach(add)
  }
  const secretAt = (text: string, at: number): string | undefined => {
    const alike = byStart[text.slice(at, at + LENGTH_MIN)]
    if (alike === undefined) return undefined
    const length = alike.lengths.find((length) => text.slice(at, at + length) in known)
    return length === undefined ? undefined : text.slice(at, at + length)
  }
  const blankSecrets = (text: string): string => {
    let clean = ''
    let from = 0
    for (let at = 0; at + LENGTH_MIN <= text.length; ) {
      const secret = secretAt(text, at)
      if (secret === undefined) at++
      else {
        clean += text.slice(from, at) + BLANK
        at += secret.length
        from = at
      }
    }
    return clean + text.slice(from)
  }
  const redact = (text: string): string => {
    if (text.length < SHORTEST) return text
    addFromSources()
    return blankSecrets(text)
      .replace(/\bss_[A-Za-z0-9_-]{4,}/g, `ss_${BLANK}`)
      .replace(/eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, BLANK)
  }
  /** Registers a secret. Ignores short ones, which would match everywhere. */
  const add = (secret: string | undefined): void => {
    if (secret === undefined || secret.length < LENGTH_MIN) return
    if (secret in known) return
    secrets.push(secret)
    known[secret] = true
    const start = secret.slice(0, LENGTH_MIN)
    const alike = byStart[start] ?? { count: 0, lengths: [] }
    byStart[start] = alike
    alike.count++
    if (alike.lengths.includes(secret.length)) return
    // Longest first, because one secret may be a prefix of another.
    alike.lengths = [...alike.lengths, secret.length].sort((a, b) => b - a)
  }
  /**
   * Registers fields of a body that have the name of a secret, because the value may recur elsewhere, as the
   * nonce does in the message to sign. Stops after `jsonValuesMax` values.
   */
  const learn = (body: unknown): void => {
    const left = [body]
    for (let seen = 0; left.length > 0; ) {
      const holder = left.pop()
      if (typeof holder !== 'object' || holder === null) continue
      // Object.entries would allocate a pair for each entry up front.
      for (const name in holder) {
        if (seen++ === RESPONSE_BOUNDS.jsonValuesMax) return
        const value = (holder as Record<string, unknown>)[name] // as: JSON, whose names are its own
        if (isSecret(name, value)) add(String(value))
        else if (typeof value === 'object') left.push(value)
      }
    }
  }
  const blank = (name: string, value: unknown, length: number): unknown => {
    if (isSecret(name, value)) return BLANK
    return typeof value === 'string' ? redact(value.slice(0, length + TOKEN_LENGTH_MAX)) : value
  }
  /** Like JSON.stringify, with secrets redacted. Stops at the given length and depth. */
  const write = (name: string, value: unknown, { length, levels }: Room): string => {
    if (typeof value !== 'object' || value === null) return JSON.stringify(blank(name, value, length))
    if (levels === 0) return DEEPER
    const isList = Array.isArray(value)
    let text = isList ? '[' : '{'
    for (const key in value) {
      if (text.length >= length) return text
      if (text.length > 1) text += ','
      if (!isList) text += `${JSON.stringify(key)}:`
      const inner = (value as Record<string, unknown>)[key] // as: JSON, whose names are its own
      text += write(key, inner, { length: length - text.length, levels: levels - 1 })
    }
    return text + (isList ? ']' : '}')
  }
  return {
    /** Returns a mark for forgetSince. */
    mark(): number {
      addFromSources()
      return secrets.length
    },
    /** Drops secrets learned since the mark. Only for ended secrets that can no longer appear in output. */
    forgetSince(mark: number): void {
      for (const secret of secrets.splice(mark)) {
        delete known[secret]
        const start = secret.slice(0, LENGTH_MIN)
        const alike = byStart[start]
        if (alike !== undefined && --alike.count === 0) delete byStart[start]
      }
    },
    add,
    /** Registers secrets lazily: a VU that prints nothing never calls the source. */
    addLater(source: () => readonly (string | undefined)[]): void {
      later.push(source)
    },
    learn,
    redact,
    /**
     * Redacts the beginning of a body or frame. Parses JSON first, because escapes would hide a secret.
     * Searches only the part of a long list or text that is shown. `value` is the parsed text, if it is known.
     */
    redactBody(text: string, length = TOKEN_LENGTH_MAX, value = parseJson(text)): string {
      const room = { length, levels: RESPONSE_BOUNDS.jsonLevelsMax }
      const shown = value === undefined ? text.slice(0, length + TOKEN_LENGTH_MAX) : write('', value, room)
      return redact(shown).slice(0, length)
    },
  }
}

/** Secrets that share a prefix: their number, and all lengths seen so far. */
type Alike = { count: number; lengths: readonly number[] }

/** Remaining output size and depth. */
type Room = { length: number; levels: number }

export type Redactor = ReturnType<typeof createRedactor>

const BLANK = '<redacted>'
const LENGTH_MIN = 8
/** No secret and no text that looks like one is shorter: `ss_` and four characters. */
const SHORTEST = 7
const DEEPER = '"…"'
/** A truncated token no longer matches the pattern, so the text is cut this far after its visible part. */
const TOKEN_LENGTH_MAX = 16_384

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false
  // Names of credentials. `token0`, `token_in` and similar are public ids.
  const whole = /^((access|refresh|session|api|auth|ws|bearer)?[_-]?token|jwt|signature)$/i
  const part = /ticket|csrf|xsrf|secret|nonce|cookie/i
  return String(value).length >= LENGTH_MIN && (whole.test(name) || part.test(name))
}

export const redactor = createRedactor()

/** Paths that issue credentials. Elsewhere a `nonce` is public: a swap has one. */
export function handsOut(path: string): boolean {
  // Hot path of a load: a character check avoids most regex calls.
  return path[1] === 'a' && /^\/(auth|api-tokens)(\/|$)/.test(path)
}

/**
 * Registers every credential that a reply issues before anything of it can be shown: cookies, fields with the
 * name of a secret, and the profile's fields for CSRF token and ticket.
 */
export function learnSecrets(
  redactor: Pick<Redactor, 'add' | 'learn'>,
  reply: { path: string; json: unknown; cookies: readonly { value: string }[] },
  choices: Pick<Choices, 'verify' | 'wsTicket'>,
): void {
  for (const { value } of reply.cookies) redactor.add(value)
  if (!handsOut(reply.path)) return
  redactor.learn(reply.json)
  redactor.add(pickText(reply.json, choices.verify.csrfToken))
  redactor.add(pickText(reply.json, choices.wsTicket.ticket))
}

const LENGTH_MAX = 240
/** Ports vary from run to run. */
const ADDRESS = /\b(?:\d{1,3}\.){3}\d{1,3}:\d+\b|\[[0-9a-f:]+\]:\d+/g

/** Formats a text as one timeline line: truncated, without parts that vary from run to run. */
export function formatLine(text: string): string {
  const begun = text.slice(0, 2 * LENGTH_MAX)
  const line = begun.replace(ADDRESS, '<address>').replace(/\s+/g, ' ')
  return line.length <= LENGTH_MAX && begun === text
    ? line
    : `${line.slice(0, LENGTH_MAX)}… (${text.length} characters)`
}
