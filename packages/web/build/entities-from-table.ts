import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const decoder = 'decode-named-character-reference'

/**
 * Lets the Markdown parser look up entities such as `&amp;` in a table. The parser's variant for browsers assigns
 * entities to `innerHTML`, which our content security policy refuses: a message with an entity could not be shown.
 */
export const entitiesFromTable = (): Plugin => ({
  name: 'entities-from-table',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === decoder && importer !== undefined ? createRequire(importer).resolve(source) : undefined,
})
