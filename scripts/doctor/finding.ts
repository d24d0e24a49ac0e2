/** What a check of `breakwater doctor` says. A problem keeps a run from working; a warning makes it worse, or slower. */
export type Judged = {
  verdict: 'ok' | 'warning' | 'problem' | 'unchecked'
  /** What was seen. */
  saw: string
  /** What to do about it, in words, and as a line for a shell where there is one. */
  remedy?: { text: string; command?: string }
}

/** One check, by its name. */
export type Finding = Judged & { check: string }
