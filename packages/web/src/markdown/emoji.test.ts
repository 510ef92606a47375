import { expect, test } from '@jest/globals'
import { loadEmojiSet } from './emoji.ts'

test('emoji have German names, and English and German search keywords', async () => {
  const [english, german] = await Promise.all([loadEmojiSet('en'), loadEmojiSet('de')])
  expect(german.all.map(({ character }) => character)).toEqual(english.all.map(({ character }) => character))
  const named = { heart: 'rotes Herz', thumbsup: 'Daumen hoch', de: 'Flagge: Deutschland' }
  for (const [shortcode, name] of Object.entries(named)) {
    const emoji = german.byName.get(shortcode)
    expect(emoji?.description).toBe(name)
    expect(emoji?.words).toContain(name)
    expect(emoji?.words).toContain(english.byName.get(shortcode)?.description)
  }
  // Some names are the same in both languages, such as "Pizza".
  const same = german.all.filter(({ description }, at) => description === english.all[at]?.description)
  expect(same.length).toBeLessThan(german.all.length / 10)
})
