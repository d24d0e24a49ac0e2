export type Step = { instruction: string; text: string }

/** From one FROM to the next. The last has no name, and is the image. */
export type Stage = { name: string; steps: readonly Step[] }

/** The stages of a Dockerfile that has no heredocs and no escape directive; what stands before the first is left out. */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { name: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (instruction === 'FROM') stages.push({ name: / AS (\S+)$/.exec(rest)?.[1] ?? '', steps: [] })
    else stages.at(-1)?.steps.push({ instruction, text: rest })
  }
  return stages
}
