import { afterAll, expect, test } from '@jest/globals'
import { setLanguageFromFile } from '../messages/_texts-from-files.ts'
import { emojiSet, loadWholeEmojiSet } from './emoji-set.ts'

// Test files share the current language.
afterAll(() => setLanguageFromFile('en'))

const nameOfHeart = () => emojiSet.value?.byShortcode.get('heart')?.name

test('emoji have names in the current language, even if it changes while a set is loading', async () => {
  await setLanguageFromFile('en')
  await loadWholeEmojiSet()
  expect(nameOfHeart()).toBe('red heart')
  await setLanguageFromFile('de')
  const german = loadWholeEmojiSet()
  expect(loadWholeEmojiSet()).toBe(german)
  await setLanguageFromFile('en')
  const english = loadWholeEmojiSet()
  await Promise.all([german, english])
  expect(nameOfHeart()).toBe('red heart')
  await setLanguageFromFile('de')
  await loadWholeEmojiSet()
  expect(nameOfHeart()).toBe('rotes Herz')
})
