import { expect, test } from '@jest/globals'
import { loadEmojiSet } from './emoji.ts'

test('every emoji has a German name, and is found by English and German words', async () => {
  const [english, german] = await Promise.all([loadEmojiSet('en'), loadEmojiSet('de')])
  expect(german.all.map(({ character }) => character)).toEqual(english.all.map(({ character }) => character))
  const named = { heart: 'rotes Herz', thumbsup: 'Daumen hoch', de: 'Flagge: Deutschland' }
  for (const [shortcode, name] of Object.entries(named)) {
    const emoji = german.byName.get(shortcode)
    expect(emoji?.description).toBe(name)
    expect(emoji?.words).toContain(name)
    expect(emoji?.words).toContain(english.byName.get(shortcode)?.description)
  }
  // Some are the same in both, such as "Yin Yang" and "Pizza".
  const same = german.all.filter(({ description }, at) => description === english.all[at]?.description)
  expect(same.length).toBeLessThan(german.all.length / 10)
})
