/**
 * The anchors of a Markdown page as forges make them: a heading in small letters, blanks as hyphens, punctuation left out, a
 * number after one that was there before. Headings in code blocks are none.
 */
export function headingAnchors(markdown: string): Set<string> {
  const seen = new Map<string, number>()
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(markdown).matchAll(/^#{1,6} +(.*?) *#*$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`)
  }
  return anchors
}

/** Without blocks of code, in which `#` and brackets mean something else. */
export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, '')
}
