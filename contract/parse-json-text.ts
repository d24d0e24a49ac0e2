import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/**
 * Parses JSON as people write it: comments and trailing commas may stand in it, and a byte order mark before it. Throws a
 * SyntaxError that says where the first mistake is, `line 3, column 5: a comma is missing`.
 */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseWithComments(text.replace(/^\uFEFF/, ''))
  }
}

function parseWithComments(text: string): unknown {
  const errors: ParseError[] = []
  const tree = treeOf(text, errors)
  const [first] = errors.toSorted((a, b) => a.offset - b.offset)
  if (first)
    throw new SyntaxError(
      `${placeOf(first.offset, text)}: ${MISTAKES[printParseErrorCode(first.error)] ?? 'not understood'}`,
    )
  // Once more through JSON: objects like any other, and a key `__proto__` is but a key.
  return tree && JSON.parse(JSON.stringify(getNodeValue(tree)))
}

function treeOf(text: string, errors: ParseError[]): ReturnType<typeof parseTree> {
  try {
    return parseTree(text, errors, { allowTrailingComma: true })
  } catch (cause) {
    if (cause instanceof RangeError) throw new SyntaxError('lists or objects too deep in one another')
    throw cause
  }
}

function placeOf(offset: number, text: string): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

const MISTAKES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'not understood; expected a value, or a name in double quotes',
  InvalidNumberFormat: 'no number',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'expected the end of the file',
  UnexpectedEndOfComment: 'a comment that does not end',
  UnexpectedEndOfString: 'a text that does not end on its line',
  UnexpectedEndOfNumber: 'a number that does not end',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'an unknown escape after \\',
  InvalidCharacter: 'a control character, which takes an escape',
}
