import { stringify } from 'yaml'

/**
 * Objects as one YAML stream, in their order, for `kubectl apply -f -`. By YAML 1.1, which Kubernetes reads: there `on`, `12:30` and `1_000`
 * are no texts unless they are quoted.
 */
export function yamlOf(objects: readonly object[]): string {
  return objects
    .map((object) => stringify(object, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 }))
    .join('---\n')
}
