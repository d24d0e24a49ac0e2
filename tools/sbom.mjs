/**
 * Writes sbom.cdx.json, the list of production packages, before npm packs (`prepack`). npm's own `--omit=dev` also leaves out
 * direct dependencies that a development package shares.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
const list = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 }))
const { name } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))

const isOfDevelopment = ({ properties }) =>
  properties.some((property) => property.name === 'cdx:npm:package:development')
const components = list.components.filter((component) => !isOfDevelopment(component))
const kept = new Set([...components, list.metadata.component].map((component) => component['bom-ref']))
const dependencies = list.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
const component = { ...list.metadata.component, name } // npm takes the folder's name
const metadata = { ...list.metadata, component }
writeFileSync(
  `${root}/sbom.cdx.json`,
  `${JSON.stringify({ ...list, metadata, components, dependencies }, null, 1)}\n`,
)
