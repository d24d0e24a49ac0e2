/** What a challenge gave, and for whom. */
export type Given = { message: string; nonce: string; address: string }

/** A way to touch the message to sign, which the specification forbids: whoever signs the result has not signed the message. */
export type Rebuilding = { how: string; rebuild(given: Given): string }

/** What programs do to a text in passing, the likeliest first. */
export const REBUILDINGS: readonly Rebuilding[] = [
  { how: 'trimmed', rebuild: ({ message }) => message.trim() },
  { how: 'with LF line ends', rebuild: ({ message }) => message.replace(/\r\n?/g, '\n') },
  { how: 'with LF for CRLF', rebuild: ({ message }) => message.replaceAll('\r\n', '\n') },
  { how: 'normalized (NFC)', rebuild: ({ message }) => message.normalize('NFC') },
  {
    how: 'trimmed and normalized',
    rebuild: ({ message }) => message.replace(/\r\n?/g, '\n').normalize('NFC').trim(),
  },
  { how: 'trimmed at its end', rebuild: ({ message }) => message.trimEnd() },
  { how: 'with CRLF line ends', rebuild: ({ message }) => message.replace(/\r?\n/g, '\r\n') },
  { how: 'normalized (NFD)', rebuild: ({ message }) => message.normalize('NFD') },
  { how: 'normalized (NFKC)', rebuild: ({ message }) => message.normalize('NFKC') },
  { how: 'with white space collapsed', rebuild: ({ message }) => message.replace(/\s+/g, ' ') },
  { how: 'as its nonce alone', rebuild: ({ nonce }) => nonce },
  { how: 'as address and nonce', rebuild: ({ address, nonce }) => `${address}\n${nonce}` },
]

/** Those whose result is another text than the message, and than that of those before. */
export function differentRebuildings(given: Given): Rebuilding[] {
  const seen = new Set([given.message])
  return REBUILDINGS.filter(({ rebuild }) => {
    const rebuilt = rebuild(given)
    return !seen.has(rebuilt) && seen.add(rebuilt)
  })
}
