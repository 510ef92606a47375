import { expect, test } from '@jest/globals'
import { setLanguageFromFile } from '../messages/_texts-from-files.ts'
import { keyNames } from './key-names.ts'

test.each([
  ['de', ['Strg K', 'Umschalt Enter', 'Alt ↓', '@']],
  ['en', ['Ctrl K', 'Shift Enter', 'Alt ↓', '@']],
] as const)('in %s, keys have the names printed on the keyboard', async (language, names) => {
  await setLanguageFromFile(language)
  expect(['Ctrl K', 'Shift Enter', 'Alt ↓', '@'].map(keyNames)).toEqual(names)
})
