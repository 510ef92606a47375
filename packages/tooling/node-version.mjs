import { readFileSync } from 'node:fs'

/** Major version of the Node.js that everything runs on; `.node-version` names it. */
export const nodeMajor = parseInt(readFileSync(new URL('../../.node-version', import.meta.url), 'utf8'))
