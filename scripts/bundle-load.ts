/** Of the Dockerfile: puts the scenario of a load, in one file, into bundles/, where runners in a cluster may take it from. */
import { bundleScript } from './k6/bundle-script.ts'
import { projectPath } from './project-path.ts'

await bundleScript({ script: projectPath('scenarios/load.k6.ts'), folder: projectPath('bundles') })
