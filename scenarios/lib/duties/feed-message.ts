import { pick, pickRevision, pickText } from '../pick.ts'

export type FeedEvent = { type: string; data: unknown; json: unknown }

/** What a client has to act on. */
export type FeedHandlers = {
  synchronized(): void
  resyncRequired(): void
  revision(revision: bigint): void
  event?: ((event: FeedEvent) => void) | undefined
}

/** Hands a frame to whom it concerns. Controls that are not known are ignored, as is what is no JSON. */
export function readFeedMessage(text: string, handlers: FeedHandlers): void {
  // Most frames are events that a client under load looks into no further: parsing each would be its main work.
  if (handlers.event === undefined && !concernsClient(text)) return
  const json = parse(text)
  const control = pickText(json, 'control')
  if (control === 'synchronized') handlers.synchronized()
  if (control === 'resync_required') handlers.resyncRequired()
  const type = pickText(json, 'type')
  if (type === undefined) return
  const revision = type === 'ProtocolConfigChanged' ? pickRevision(json, 'data.revision') : undefined
  if (revision !== undefined) handlers.revision(revision)
  handlers.event?.({ type, data: pick(json, 'data'), json })
}

function concernsClient(text: string): boolean {
  return text.includes('"control"') || text.includes('"ProtocolConfigChanged"')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
