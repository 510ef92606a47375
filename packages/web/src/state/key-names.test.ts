import { expect, test } from '@jest/globals'
import { setLanguage } from '../messages/texts.ts'
import { keyNames } from './key-names.ts'

test('keys have the names printed on keyboards of the language', async () => {
  Object.defineProperty(navigator, 'languages', { value: ['en'] })
  await setLanguage('de')
  expect(['Ctrl K', 'Shift Enter', 'Alt ↓', '@'].map(keyNames)).toEqual(['Strg K', 'Umschalt Enter', 'Alt ↓', '@'])
  await setLanguage('en')
  expect(['Ctrl K', 'Shift Enter'].map(keyNames)).toEqual(['Ctrl K', 'Shift Enter'])
})
