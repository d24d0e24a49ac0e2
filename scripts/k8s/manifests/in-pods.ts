/** Where things are in the pods of a run. */
export const SECRET_FOLDER = '/etc/breakwater'
export const CONFIG_FILE = `${SECRET_FOLDER}/config.json`
export const TOKEN_FILE = `${SECRET_FOLDER}/token`
export const CA_FILE = `${SECRET_FOLDER}/ca.pem`
export const RESULTS_FOLDER = '/results'

/** Of the ConfigMap, and of the image's own: the script by its name there. */
export const SCRIPT_NAME = 'load.k6.js'
export const SCRIPT_OF_IMAGE = `/opt/breakwater/dist/${SCRIPT_NAME}`

export const COLLECTOR_PORT = 8090
/** Of k6's REST API: the operator says so. */
export const K6_PORT = 6565

/** Each runner's own name, `NAME-1`, as arguments of the TestRun spell it: put in by the kubelet. */
export const RUNNER_VARIABLE = 'RUNNER'
