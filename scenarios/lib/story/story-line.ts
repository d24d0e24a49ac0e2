const LENGTH_MAX = 240
/** Ports are any that were free. */
const ADDRESS = /\b(?:\d{1,3}\.){3}\d{1,3}:\d+\b|\[[0-9a-f:]+\]:\d+/g

/** A text as a line of the timeline has it: cut where it is long, and without what differs from run to run. */
export function lineOf(text: string): string {
  const begun = text.slice(0, 2 * LENGTH_MAX)
  const line = begun.replace(ADDRESS, '<address>').replace(/\s+/g, ' ')
  return line.length <= LENGTH_MAX && begun === text
    ? line
    : `${line.slice(0, LENGTH_MAX)}… (${text.length} characters)`
}
