import type { LiveState } from '../../reports/html/render-live.ts'

/**
 * Opens the live view whose address a server printed, as a browser does, and returns what it shows: its status first, then its content.
 * Empty if the text has no address.
 */
export async function visitLiveView(printed: string): Promise<string> {
  const [, url] = /^Live view: (\S+)$/m.exec(printed) ?? []
  if (url === undefined) return ''
  const page = await fetch(url)
  await page.text()
  if (page.status !== 200) return `internal error: the live view returned ${page.status}\n`
  const { title, status, content } = await readEvent(`${url}events`)
  return `${status}\n${title}\n${content}\n`
}

const DATA = '\ndata: '

/** The first event of the stream: the state that the page was rendered with. */
async function readEvent(url: string): Promise<LiveState> {
  const leaving = new AbortController()
  const { body } = await fetch(url, { signal: leaving.signal })
  let text = ''
  try {
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      const events = text.split('\n\n').slice(0, -1)
      const [, data] = events.find((event) => event.includes(DATA))?.split(DATA) ?? []
      if (data !== undefined) return JSON.parse(data)
    }
  } finally {
    leaving.abort()
  }
  throw new Error(`the live view ended without an event: ${text.slice(0, 200)}`)
}
