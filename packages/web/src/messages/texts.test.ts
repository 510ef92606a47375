import { expect, test } from '@jest/globals'
import { knownLanguage, localeOf } from './texts.ts'

test.each([
  [['de-CH', 'en'], 'de'],
  [['fr', 'en-GB'], 'en'],
  [['fr'], 'en'],
])('the preferred languages %j lead to %s', (preferred, language) => expect(knownLanguage(preferred)).toBe(language))

test.each([
  ['en', ['de-CH', 'en-GB', 'en-US'], 'en-GB'],
  ['de', ['en-GB'], 'de'],
] as const)(
  'texts in %s with the preferred languages %j are formatted in the locale %s',
  (language, preferred, locale) => expect(localeOf(language, preferred)).toBe(locale),
)
