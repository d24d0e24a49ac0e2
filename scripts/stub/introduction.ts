import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import type { Stub } from '../../simulator/stub.ts'
import { CONTROL_TOKEN_ENV } from '../control-api.ts'

/** What `breakwater stub` prints: where everything is, and lines to try, which work as they stand. */
export function introduction(
  stub: Stub,
  choices: ChoiceSetName,
  {
    profileFile,
    caFile = null,
    faults,
    serviceRate,
    observer = true,
    hideTokens = false,
  }: {
    profileFile?: string | undefined
    /** The certificate to trust; null: the stub speaks plain HTTP. */
    caFile?: string | null
    faults?: FaultPlan | undefined
    serviceRate?: number | undefined
    observer?: boolean | undefined
    /** For a log that others may read: no token is printed, and no line that needs one. */
    hideTokens?: boolean | undefined
  } = {},
): string[] {
  const { profile, wallets, apiTokens, controlToken } = stub
  const find = (role: Partial<Stub['wallets'][number]>) =>
    wallets.find((wallet) => wallet.admin === role.admin && wallet.hasAccess === role.hasAccess)?.address
  return [
    `REST     ${profile.baseUrl}  described at /docs, and at /openapi.json for machines`,
    `feed     ${profile.wsUrl}/ws`,
    `control  ${profile.control}${hideTokens ? '' : `  token ${controlToken}`}`,
    ...(caFile === null ? [] : [`ca       ${caFile}  to be trusted for REST and feed`]),
    `wallets  ${wallets.length}; --profile FILE writes them with their keys`,
    `         administrator   ${find({ admin: true, hasAccess: true })}`,
    `         with access     ${find({ admin: false, hasAccess: true })}`,
    `         without access  ${find({ admin: false, hasAccess: false })}`,
    `tokens   ${hideTokens ? 'not printed' : apiTokens.join(',')}`,
    ...nodeLines(stub.deployment),
    ...(faults === undefined ? [] : [`faults   ${faults.description}`]),
    ...(serviceRate === undefined
      ? []
      : [`queue    serves ${serviceRate} REST requests a second, one after another, by real time`]),
    '',
    ...(hideTokens
      ? []
      : [
          'Try:',
          ...linesToTry(stub, { choices, caFile, observer }).map((line) => `  ${line}`),
          ...(profileFile === undefined ? [] : [`  ${smokeLine(stub, profileFile)}`]),
          '',
        ]),
    'Ctrl-C ends it.',
  ]
}

/** Nothing of a stub that is one node of each kind. */
function nodeLines({ replicas, replicaLagMs, gateways, rollingRestartMs }: Stub['deployment']): string[] {
  const parts = [
    ...(replicas === 0 ? [] : [`replicas for public reads: ${replicas}, up to ${replicaLagMs} ms behind`]),
    ...(gateways === 1 ? [] : [`gateway nodes: ${gateways}`]),
    ...(rollingRestartMs === null ? [] : [`one restarts every ${rollingRestartMs / 1000} s, in turn`]),
  ]
  return parts.length === 0 ? [] : [`nodes    ${parts.join('; ')}`]
}

function linesToTry(
  stub: Stub,
  { choices, caFile, observer }: { choices: ChoiceSetName; caFile: string | null; observer: boolean },
): string[] {
  const { profile, apiTokens, controlToken } = stub
  const bearer = (token: string | undefined) => `-H 'Authorization: Bearer ${token}'`
  const cacert = caFile === null ? '' : `--cacert ${shellQuoted(caFile)} `
  const extraCa = caFile === null ? '' : `NODE_EXTRA_CA_CERTS=${shellQuoted(caFile)} `
  return [
    `curl ${cacert}'${profile.baseUrl}/explore/pools?limit=2'`,
    `curl ${cacert}${bearer(apiTokens[0])} '${profile.baseUrl}/swaps?limit=1'`,
    `curl ${bearer(controlToken)} ${profile.control}/status`,
    ...(observer
      ? [`${CONTROL_TOKEN_ENV}=${controlToken} npx breakwater observe --control ${profile.control}`]
      : []),
    `${extraCa}node --experimental-websocket --input-type=module -e ${shellQuoted(feedProgram(stub, choices))}`,
  ]
}

/** Secrets come from the environment only. Without the control token time passes by waiting. */
function smokeLine({ apiTokens, controlToken, profile }: Stub, file: string): string {
  const { env } = profile.credentials.apiTokens
  const secrets = `${CONTROL_TOKEN_ENV}=${controlToken} ${env}=${apiTokens.join(',')}`
  return `${secrets} npx breakwater smoke --target ${shellQuoted(file)}`
}

/** Prints what happens in the pool with most volume, until the ticket expires after a minute. Needs nothing but Node. */
function feedProgram({ profile, apiTokens, world }: Stub, choices: ChoiceSetName): string {
  const [busiest] = world.views.explorePools({
    window: '1d',
    sort: 'volumeUsd',
    order: 'desc',
    limit: 1,
    offset: 0,
  }).rows
  const key = CHOICE_SETS[choices].wire.poolKey.encode(busiest?.pool.key ?? '')
  const frames = [
    `{ action: "authenticate", token: body.${profile.choices.wsTicket.ticket} }`,
    `{ action: "subscribe", room: ${JSON.stringify(`trades:${key}`)} }`,
    '{ action: "synchronize" }',
  ]
  return [
    `const headers = { authorization: "Bearer ${apiTokens[0]}" };`,
    `const body = await (await fetch("${profile.baseUrl}/auth/ws-ticket", { headers })).json();`,
    `const ws = new WebSocket("${profile.wsUrl}/ws");`,
    'ws.onmessage = ({ data }) => console.log(data);',
    `ws.onopen = () => [${frames.join(', ')}].forEach((frame) => ws.send(JSON.stringify(frame)))`,
  ].join(' ')
}

/** As one word of a POSIX shell, whatever is in it. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** What `breakwater stub --json` prints, once, when it serves: where everything is, and the credentials for it. */
export function introductionJson(
  { profile, wallets, apiTokens, controlToken }: Stub,
  { profileFile, caFile }: { profileFile: string | undefined; caFile: string | null },
) {
  return {
    name: profile.name,
    baseUrl: profile.baseUrl,
    wsUrl: profile.wsUrl,
    control: profile.control,
    controlToken,
    apiTokens,
    wallets: wallets.map(({ address, admin, hasAccess }) => ({ address, admin, hasAccess })),
    profile: profileFile ?? null,
    ca: caFile,
  }
}
