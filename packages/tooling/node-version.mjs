import { readFileSync } from 'node:fs'

export const nodeMajor = parseInt(readFileSync(new URL('../../.node-version', import.meta.url), 'utf8'))
