import { expect, test } from '@jest/globals'
import { loadEmojiSet } from './emoji.ts'

test('emoji have German names, and English and German search keywords', async () => {
  const [english, german] = await Promise.all([loadEmojiSet('en'), loadEmojiSet('de')])
  expect(german.all.map(({ character }) => character)).toEqual(english.all.map(({ character }) => character))
  const named = { heart: 'rotes Herz', thumbsup: 'Daumen hoch', de: 'Flagge: Deutschland' }
  for (const [shortcode, name] of Object.entries(named)) {
    const emoji = german.byShortcode.get(shortcode)
    expect(emoji?.name).toBe(name)
    expect(emoji?.words).toContain(name)
    expect(emoji?.words).toContain(english.byShortcode.get(shortcode)?.name)
  }
  // Some names are the same in both languages, such as "Pizza".
  const same = german.all.filter(({ name }, at) => name === english.all[at]?.name)
  expect(same.length).toBeLessThan(german.all.length / 10)
})
