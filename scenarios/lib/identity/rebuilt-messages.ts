/** The message to sign as it becomes where somebody touches it: what the specification forbids clients to do. */
export function rebuiltMessages(message: string): { how: string; message: string }[] {
  return [
    { how: 'trimmed', message: message.trim() },
    { how: 'with line feeds for line ends', message: message.replace(/\r\n?/g, '\n') },
    { how: 'normalised (NFC)', message: message.normalize('NFC') },
    { how: 'trimmed and normalised', message: message.replace(/\r\n?/g, '\n').normalize('NFC').trim() },
  ]
}
