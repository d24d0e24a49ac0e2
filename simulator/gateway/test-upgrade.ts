/** Shared by tests that use a raw connection. */
export const UPGRADE = [
  'GET /ws HTTP/1.1',
  'Host: feed',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  '\r\n',
].join('\r\n')

/** The code of a close frame right after the response to an upgrade: RFC 6455, section 5.5.1. */
export function closeCode(received: Buffer): number | null {
  const frame = received.subarray(received.indexOf('\r\n\r\n') + 4)
  return frame[0] === 0x88 && frame.length >= 4 ? frame.readUInt16BE(2) : null
}
