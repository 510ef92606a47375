import { parse, TYPE } from '@formatjs/icu-messageformat-parser'
import type { Plugin } from 'vite'

/**
 * Parses the ICU messages of `src/messages/*.json` when the client is built; messages without arguments stay strings.
 */
export function parseMessages(): Plugin {
  return {
    name: 'parse-messages',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/src\/messages\/[\w-]+\.json$/.test(id)) return undefined
      const messages = Object.entries(JSON.parse(code) as Record<string, string>)
      return {
        code: JSON.stringify(Object.fromEntries(messages.map(([key, text]) => [key, parseText(text)]))),
        map: null,
      }
    },
  }
}

function parseText(text: string): unknown {
  const elements = parse(text, { ignoreTag: true })
  const [only] = elements
  return elements.length === 1 && only?.type === TYPE.literal ? only.value : elements
}
