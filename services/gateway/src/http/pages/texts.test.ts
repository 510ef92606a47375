import { expect, test } from '@jest/globals'
import { languageOf } from './texts.ts'

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT, de;q=0.9, en;q=0.8', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr, de ; q=0.5, en;q=0.4', 'de'],
  ['en;q=0.4, DE-ch;q=0.5', 'de'],
  ['de;q=0, en', 'en'],
  ['den, *', 'en'],
  ['de;q=x', 'en'],
])('for Accept-Language %j pages are in %s', (value, language) =>
  expect(languageOf({ headers: { 'accept-language': value } })).toBe(language),
)
