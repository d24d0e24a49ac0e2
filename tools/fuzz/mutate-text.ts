/** Damages files: JSON and lines of JSON in their structure, any text in its bytes. */
import type { Draw } from './draw.ts'
import { hostileText } from './hostile-values.ts'
import { mutatedJson } from './mutate-json.ts'

/** The file with some damage; how it is written follows from its ending. */
export function mutatedFile(name: string, text: string, draw: Draw): Buffer {
  const changed = draw.chance(0.85) ? mutatedText(name, text, draw) : text
  return changed === text || draw.chance(0.12) ? draw.weighted(DAMAGES)(changed, draw) : Buffer.from(changed)
}

function mutatedText(name: string, text: string, draw: Draw): string {
  if (name.endsWith('.ndjson')) return mutatedLines(text, draw)
  if (name.endsWith('.json')) return mutatedJson(JSON.parse(text), draw)
  return withPart(text, hostileText(draw), draw)
}

function mutatedLines(text: string, draw: Draw): string {
  const lines = text.trimEnd().split('\n')
  const changes = draw.int(1, 4)
  for (let change = 0; change < changes; change++) draw.weighted(LINE_CHANGES)(lines, draw)
  return `${lines.join('\n')}\n`
}

type LineChange = (lines: string[], draw: Draw) => void

const LINE_CHANGES: readonly (readonly [weight: number, change: LineChange])[] = [
  [10, (lines, draw) => edit(lines, draw, (line) => mutatedLine(line, draw))],
  // The header and the end matter more than any other line.
  [2, (lines, draw) => lines.splice(0, 1, mutatedLine(lines[0] ?? '{}', draw))],
  [1, (lines, draw) => lines.splice(-1, 1, mutatedLine(lines.at(-1) ?? '{}', draw))],
  [
    1,
    (lines, draw) =>
      lines.splice(
        draw.int(0, lines.length),
        0,
        ...Array(draw.int(1, 500)).fill(lines[draw.int(0, lines.length)] ?? ''),
      ),
  ],
  [1, (lines, draw) => lines.splice(draw.int(0, lines.length), draw.int(1, 20))],
  [1, (lines) => lines.reverse()],
  [1, (lines, draw) => lines.splice(draw.int(0, lines.length), 0, hostileText(draw))],
  [1, (lines, draw) => edit(lines, draw, (line) => line.slice(0, draw.int(0, line.length)))],
]

function edit(lines: string[], draw: Draw, change: (line: string) => string): void {
  if (lines.length === 0) return
  const at = draw.int(0, lines.length - 1)
  lines[at] = change(lines[at] ?? '')
}

function mutatedLine(line: string, draw: Draw): string {
  try {
    return mutatedJson(JSON.parse(line), draw)
  } catch {
    // Damaged by the change before.
    return withPart(line, hostileText(draw), draw)
  }
}

type Damage = (text: string, draw: Draw) => Buffer

const INVALID = [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0], [0x80]].map(
  (bytes) => Buffer.from(bytes),
)

const DAMAGES: readonly (readonly [weight: number, damage: Damage])[] = [
  [4, (text, draw) => Buffer.from(text.slice(0, draw.int(0, text.length)))],
  [1, () => Buffer.alloc(0)],
  [2, (text) => Buffer.from(`\ufeff${text}`)],
  [1, (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  [3, (text, draw) => withBytes(text, draw.pick(INVALID), draw)],
  [1, (text) => Buffer.from(text.repeat(2))],
  [1, (text) => Buffer.from(text.replaceAll('\n', '\r\n'))],
  [2, (text) => Buffer.from(text.replaceAll(/"(\w+)":/g, '"$1":null,"$1":'))],
  [1, (text, draw) => Buffer.from(withPart(text, ' '.repeat(1_000_000), draw))],
  [1, (text, draw) => Buffer.from(withPart(text, '\0'.repeat(1000), draw))],
  [1, (text) => Buffer.from(text.replaceAll('\n', ' '))],
  [1, (_, draw) => Buffer.from('x'.repeat(draw.int(1, 20_000_000)))],
]

function withPart(text: string, part: string, draw: Draw): string {
  const at = draw.int(0, text.length)
  return text.slice(0, at) + part + text.slice(at)
}

function withBytes(text: string, part: Buffer, draw: Draw): Buffer {
  const bytes = Buffer.from(text)
  const at = draw.int(0, bytes.length)
  return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
}
