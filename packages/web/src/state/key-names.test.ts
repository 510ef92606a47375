import { afterAll, expect, test } from '@jest/globals'
import { setLanguageFromFile } from '../messages/_texts-from-files.ts'
import { keyNames } from './key-names.ts'

// Test files share the current language.
afterAll(() => setLanguageFromFile('en'))

test.each([
  ['de', ['Strg K', 'Umschalt Enter', 'Alt ↓', '@']],
  ['en', ['Ctrl K', 'Shift Enter', 'Alt ↓', '@']],
] as const)('in %s, keys have the names printed on the keyboard', async (language, names) => {
  await setLanguageFromFile(language)
  expect(['Ctrl K', 'Shift Enter', 'Alt ↓', '@'].map(keyNames)).toEqual(names)
})
