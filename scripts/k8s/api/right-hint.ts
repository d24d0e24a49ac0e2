/** What a person does about a right that is missing. */
export function rightHint({
  verb,
  resource,
  namespace,
}: {
  verb: string
  resource: string
  namespace: string
}): string {
  const [kind, subresource] = resource.split('/')
  const asked = `${verb} ${kind}${subresource === undefined ? '' : ` --subresource=${subresource}`}`
  return `A Role of the namespace has to allow it: examples/kubernetes/role.yaml is one. \`kubectl auth can-i ${asked} -n ${namespace}\` tells.`
}
