/** How a mutant breaks the stub, in words, and every rule that the breakage shows in. */
export type MutantTable = Readonly<Record<string, { breaks: string; rules: readonly string[] }>>
