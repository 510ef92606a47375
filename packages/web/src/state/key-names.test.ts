import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { type Language, languages, setLanguage } from '../messages/texts.ts'
import { keyNames } from './key-names.ts'

// Only the build of the page can import JSON.
for (const language of Object.keys(languages) as Language[]) {
  const file = new URL(`../messages/${language}.json`, import.meta.url)
  Object.assign(languages[language], {
    load: async () => ({ default: JSON.parse(readFileSync(file, 'utf8')) as object }),
  })
}
Object.defineProperty(navigator, 'languages', { value: ['en'] })

test.each([
  ['de', ['Strg K', 'Umschalt Enter', 'Alt ↓', '@']],
  ['en', ['Ctrl K', 'Shift Enter', 'Alt ↓', '@']],
] as const)('in %s, keys have the names printed on the keyboard', async (language, names) => {
  await setLanguage(language)
  expect(['Ctrl K', 'Shift Enter', 'Alt ↓', '@'].map(keyNames)).toEqual(names)
})
