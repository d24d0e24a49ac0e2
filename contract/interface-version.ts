/** Of the interface that the specification describes (Versioning, 1); the machine-readable description carries it. */
export const INTERFACE_VERSION = '0.1.0'
