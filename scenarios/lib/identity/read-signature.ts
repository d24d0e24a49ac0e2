/** What a signer endpoint answered: its signature, or what is wrong with the answer, in words. Status 0: none came. */
export function readSignature(answer: {
  status: number
  body: string
  error: string
}): { signature: string } | { problem: string } {
  const { status, body, error } = answer
  if (status === 0) return { problem: `the signer gave no answer: ${error || 'no connection'}` }
  const told = `the signer answered ${status}`
  if (status < 200 || status > 299) return { problem: `${told}: ${beginning(body)}` }
  const signature = signatureOf(body)
  return signature === undefined
    ? { problem: `${told}, but not with {"signature": "…"}: ${beginning(body)}` }
    : { signature }
}

const SHOWN = 120

function beginning(body: string): string {
  return body.trim() === '' ? '(nothing)' : body.trim().slice(0, SHOWN)
}

function signatureOf(body: string): string | undefined {
  try {
    const { signature } = Object(JSON.parse(body)) as { signature?: unknown } // as: checked below
    return typeof signature === 'string' && signature !== '' ? signature : undefined
  } catch {
    return undefined
  }
}
