import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'

const page = readFileSync(projectPath('docs/guides/custom-scenarios.md'), 'utf8')
const kit = readFileSync(projectPath('scenarios/kit.ts'), 'utf8')

test('the page of custom scenarios describes all exports of the kit', () => {
  const exported = [
    ...kit.matchAll(/^export \{([^}]*)\} from|^export const (?:\{ (\w+) \}|(\w+))/gm),
  ].flatMap(([, list, inner, name]) => [inner ?? name ?? list ?? ''].flatMap((text) => text.split(',')))
  const names = exported
    .map((text) => text.trim())
    .filter((text) => text !== '' && !text.startsWith('type '))
    .map((text) => text.split(' as ').at(-1) ?? '')
  expect(names.length).toBeGreaterThan(25)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
