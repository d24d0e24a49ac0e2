/**
 * Keeps secrets out of everything that a scenario writes: the values it was told of, what stands in a body under the name
 * of a secret, and what looks like a token.
 */
export function createRedactor() {
  const secrets = new Set<string>()
  const redact = (text: string): string => {
    let clean = text
    for (const secret of secrets) clean = clean.split(secret).join(BLANK)
    return clean
      .replace(/ss_[A-Za-z0-9_-]{4,}/g, `ss_${BLANK}`)
      .replace(/eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, BLANK)
  }
  return {
    /** Remembers a secret; short texts are left alone, as they would blank out half of every line. */
    add(secret: string | undefined): void {
      if (secret !== undefined && secret.length >= 8) secrets.add(secret)
    },
    redact,
    /** As redact, for a body or a frame: JSON is read first, as its escapes would hide a secret. */
    redactBody(text: string): string {
      try {
        return redact(
          JSON.stringify(JSON.parse(text), (name, value) => (isSecret(name, value) ? BLANK : value)),
        )
      } catch {
        return redact(text)
      }
    },
  }
}

const BLANK = '<redacted>'

/** Names of credentials; `token0`, `token_in` and the like are public ids. */
const SECRET_NAME =
  /^((access|refresh|session|api|auth|ws|bearer)?[_-]?token|jwt|.*(ticket|csrf|xsrf|secret|nonce|cookie).*)$/i

function isSecret(name: string, value: unknown): boolean {
  return typeof value === 'string' && value.length >= 8 && SECRET_NAME.test(name)
}

/** The redactor of this VU. */
export const redactor = createRedactor()
