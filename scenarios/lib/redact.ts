/**
 * Keeps secrets out of everything that a scenario writes: the values it was told of, and what looks like a token.
 */
export function createRedactor() {
  const secrets = new Set<string>()
  return {
    /** Remembers a secret; short texts are left alone, as they would blank out half of every line. */
    add(secret: string | undefined): void {
      if (secret !== undefined && secret.length >= 8) secrets.add(secret)
    },
    redact(text: string): string {
      let clean = text
      for (const secret of secrets) clean = clean.split(secret).join('<redacted>')
      return clean
        .replace(/ss_[A-Za-z0-9_-]{4,}/g, 'ss_<redacted>')
        .replace(/eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, '<redacted>')
    },
  }
}

/** The redactor of this VU. */
export const redactor = createRedactor()
