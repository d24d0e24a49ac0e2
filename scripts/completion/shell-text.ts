/** As one word of a POSIX shell or zsh, in single quotes, whatever is in it. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
