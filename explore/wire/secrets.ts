/** Misplaced credentials: in addresses, or outside the one place for them (Authentication 4, 6 and 10). */
import { at } from '../../client/exchange.ts'
import type { Choices } from '../../contract/profile.ts'
import { listCookieNames } from './credentials.ts'
import type { Exchanged, Problem } from './endpoint.ts'

type Kind = 'a session token' | 'a CSRF token' | 'an API token'
type Known = { kind: Kind; forms: readonly string[] }

/** The CSRF token may be anywhere except in addresses. */
const CONFINED: readonly Kind[] = ['a session token', 'an API token']
/** Shorter values occur by chance. */
const LENGTH_MIN = 12
const ADDRESS_HEADERS: readonly string[] = ['location', 'content-location', 'link', 'refresh']
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi
const PATH = /^\.{0,2}\/\S*$/

export type SecretCheck = (exchanged: Exchanged) => Problem[]

/** Remembers the credentials of a run. The problems do not contain them. */
export function createSecretCheck(choices: Choices): SecretCheck {
  const known = new Map<string, Known>()
  return ({ endpoint, reply }) => {
    const issued = listIssued(endpoint, reply, choices)
    for (const [secret, kind] of issued)
      known.set(secret, { kind, forms: [...new Set([secret, encodeURIComponent(secret)])] })
    const { raw } = reply
    if (raw === undefined) return []
    const headers = Object.entries(raw.headers)
    const all = `${raw.text.replaceAll('\\/', '/')}\n${headers.map(([, value]) => value).join('\n')}`
    return [...known].flatMap(([secret, { kind, forms }]): Problem[] => {
      const isIn = (text: string) => forms.some((form) => text.includes(form))
      if (!isIn(all)) return []
      const header = headers.find(([, value]) => isIn(value))?.[0]
      const isAddress =
        headers.some(([name, value]) => ADDRESS_HEADERS.includes(name) && isIn(value)) ||
        listAddresses(reply.body ?? raw.text).some((address) => isIn(address) && !forms.includes(address))
      const isRight =
        !CONFINED.includes(kind) || (kind === 'an API token' && issued.has(secret) && header === undefined)
      const place = header === undefined ? 'the body' : `the header ${header}`
      return [
        ...(isAddress ? [{ rule: 'auth.secrets.not-in-urls', problem: `${kind} in an address` }] : []),
        ...(isRight ? [] : [{ rule: nameRule(endpoint, kind), problem: `${kind} in ${place}` }]),
      ]
    })
  }
}

function nameRule(endpoint: string, kind: Kind): string {
  const isList = endpoint === 'GET /api-tokens' && kind === 'an API token'
  return isList ? 'api-token.secret.once' : 'auth.secrets.nowhere-else'
}

function listIssued(
  endpoint: string,
  { body, cookies }: Exchanged['reply'],
  choices: Choices,
): Map<string, Kind> {
  const isSession = endpoint === 'POST /auth/verify' || endpoint === 'POST /auth/refresh'
  const all: [unknown, Kind][] = [
    ...listCookieNames(choices).map((name): [unknown, Kind] => [cookies[name], 'a session token']),
    ...(isSession ? [[at(body, choices.verify.csrfToken), 'a CSRF token'] as [unknown, Kind]] : []),
    ...(endpoint === 'POST /api-tokens' ? [[at(body, 'data.token'), 'an API token'] as [unknown, Kind]] : []),
  ]
  return new Map(
    all.filter((each): each is [string, Kind] => typeof each[0] === 'string' && each[0].length >= LENGTH_MIN),
  )
}

/** URLs in text, and strings of a JSON body that are paths. */
function listAddresses(value: unknown): string[] {
  if (typeof value === 'string')
    return [...(PATH.test(value) ? [value] : []), ...(value.match(ADDRESS) ?? [])]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listAddresses)
}
