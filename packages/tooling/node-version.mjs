import { readFileSync } from 'node:fs'

/** Major version of Node.js that everything runs on, from `.node-version`. */
export const nodeMajor = parseInt(readFileSync(new URL('../../.node-version', import.meta.url), 'utf8'))
