import { pythonEnvironment } from '../clients/python-environment.ts'
import { projectPath } from '../project-path.ts'

/** The Python that has Schemathesis. Throws as pythonEnvironment does. */
export function schemathesisPython(options: {
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}): Promise<string> {
  const requirements = projectPath('scripts/schemathesis/requirements.txt')
  return pythonEnvironment({ ...options, requirements, imports: ['schemathesis'] })
}
