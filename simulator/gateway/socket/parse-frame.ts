import { type ClientFrame, clientFrameSchema } from '../../../contract/schemas/feed.ts'

/** A text frame's action; undefined where it is not JSON or none of the four actions. Further keys are ignored. */
export function parseFrame(bytes: Buffer): ClientFrame | undefined {
  try {
    return clientFrameSchema.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined // not JSON
  }
}
