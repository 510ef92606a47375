import { expect, test } from '@jest/globals'
import { languages, setLanguage } from '../messages/texts.ts'
import { emojiSet, loadWholeEmojiSet } from './emoji-set.ts'

// Only the build of the page can import JSON, and the texts do not matter here.
for (const language of Object.values(languages)) Object.assign(language, { load: async () => ({ default: {} }) })
Object.defineProperty(navigator, 'languages', { value: ['en'] })

const nameOfHeart = () => emojiSet.value?.byName.get('heart')?.description

test('emoji have names in the current language, even if the set of the previous one arrives later', async () => {
  await setLanguage('en')
  await loadWholeEmojiSet()
  expect(nameOfHeart()).toBe('red heart')
  await setLanguage('de')
  const german = loadWholeEmojiSet()
  expect(loadWholeEmojiSet()).toBe(german)
  await setLanguage('en')
  const english = loadWholeEmojiSet()
  await Promise.all([german, english])
  expect(nameOfHeart()).toBe('red heart')
  await setLanguage('de')
  await loadWholeEmojiSet()
  expect(nameOfHeart()).toBe('rotes Herz')
})
