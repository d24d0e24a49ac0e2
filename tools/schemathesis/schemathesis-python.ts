import { projectPath } from '../../scripts/project.ts'
import { pythonEnvironment } from '../clients/python-environment.ts'

/** The Python that has Schemathesis. Throws as pythonEnvironment does. */
export function schemathesisPython(options: {
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}): Promise<string> {
  const requirements = projectPath('tools/schemathesis/requirements.txt')
  return pythonEnvironment({ ...options, requirements, imports: ['schemathesis'] })
}
