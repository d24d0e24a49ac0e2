/** A permission in a namespace: `{verb: 'get', group: '', resource: 'pods/proxy'}`. */
export type Right = { verb: string; group: string; resource: string }

type Rights = readonly (readonly [group: string, resource: string, ...verbs: string[]])[]

/** Permissions by purpose. The example Role grants all of them. */
const RIGHTS = {
  follow: [
    ['k6.io', 'testruns', 'get'],
    ['batch', 'jobs', 'list'],
    ['', 'pods', 'list'],
    ['', 'events', 'list'],
    ['', 'pods/log', 'get'],
  ],
  make: [
    ['k6.io', 'testruns', 'create', 'patch'],
    ['', 'secrets', 'create', 'patch'],
    ['', 'configmaps', 'create', 'patch'],
    ['networking.k8s.io', 'networkpolicies', 'create', 'patch'],
    ['', 'pods/proxy', 'patch'],
  ],
  makeResultsPod: [
    ['', 'services', 'create', 'patch'],
    ['', 'pods', 'create', 'patch'],
  ],
  takeResults: [
    ['', 'secrets', 'get'],
    ['', 'pods/proxy', 'get'],
  ],
  remove: [
    ['k6.io', 'testruns', 'get', 'delete'],
    ['', 'secrets', 'get', 'delete'],
    ['', 'configmaps', 'get', 'delete'],
    ['', 'services', 'get', 'list', 'delete'],
    ['', 'pods', 'get', 'list', 'delete'],
    ['networking.k8s.io', 'networkpolicies', 'get', 'delete'],
  ],
} as const satisfies Record<string, Rights>

/** Permissions for `k8s run`; without a results pod, runners push elsewhere. */
export function listRunRights({ hasResultsPod }: { hasResultsPod: boolean }): Right[] {
  const { follow, make, makeResultsPod, takeResults, remove } = RIGHTS
  const ofResults = hasResultsPod ? [...makeResultsPod, ...takeResults] : []
  return each([...follow, ...make, ...ofResults, ...remove])
}

export function listCollectRights({ deletes }: { deletes: boolean }): Right[] {
  const { follow, takeResults, remove } = RIGHTS
  return each([...follow, ...takeResults, ...(deletes ? remove : [])])
}

function each(rights: Rights): Right[] {
  const all = rights.flatMap(([group, resource, ...verbs]) =>
    verbs.map((verb) => ({ verb, group, resource })),
  )
  return [...new Map(all.map((right) => [`${right.verb} ${right.resource}`, right])).values()]
}

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
  return `A Role of the namespace must allow it, for example examples/kubernetes/role.yaml. Check with \`kubectl auth can-i ${asked} -n ${namespace}\`.`
}
