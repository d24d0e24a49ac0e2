import { projectPath } from '../../scripts/project.ts'
import { pythonEnvironment } from './python-environment.ts'

export const BOT_FOLDER = projectPath('examples/clients/python')

/** The Python that the bot runs with. Throws as pythonEnvironment does. */
export function botPython(options: {
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}): Promise<string> {
  const requirements = `${BOT_FOLDER}/requirements.txt`
  return pythonEnvironment({ ...options, requirements, imports: ['httpx', 'websockets'] })
}
