import { readFileSync } from 'node:fs'

/** Major version of the Node.js that runs all programs, from `.node-version`. */
export const nodeMajor = parseInt(readFileSync(new URL('../../.node-version', import.meta.url), 'utf8'))
