/**
 * Which paths of a checkout a .dockerignore sends to the builder: the last line that fits decides, one that fits a folder fits
 * all below it. Knows `*`, `**` and `!`.
 */
export function contextFilter(text: string): (path: string) => boolean {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ sent: line.startsWith('!'), fits: patternOf(line.replace(/^!/, '')) }))
  return (path) => lines.findLast(({ fits }) => fits.test(path))?.sent ?? true
}

function patternOf(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}(?:/.*)?$`)
}
