/** Whether a glob matches the whole text: `*` stands for any text. */
export function matchesGlob(glob: string, text: string): boolean {
  const source = glob.split('*').map(escapeRegExp).join('.*')
  return new RegExp(`^${source}$`).test(text)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}
