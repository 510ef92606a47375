import { expect, test } from '@jest/globals'
import { isFindable, nameKey, normalizeSearch, searchGrams, searchKey } from './people-search.ts'

test('keys and searches are in lower case', () => {
  expect(searchKey({ login: 'Ann', displayName: 'ÄNNE M.' })).toBe('ann\nänne m.')
  expect(normalizeSearch('  ÄNN ')).toBe('änn')
})

test('people are sorted by display name, or else login, ignoring case', () => {
  expect(nameKey({ login: 'Ann', displayName: 'Änne' })).toBe('änne')
  expect(nameKey({ login: 'Ann', displayName: '' })).toBe('ann')
})

test.each<[string, string[]]>([
  ['', []],
  ['a', []],
  ['an', []],
  ['ann', ['ann']],
  ['anna', ['ann', 'nna']],
  ['anan', ['ana', 'nan']],
  ['aaaa', ['aaa']],
  ['👩🏽x', ['👩🏽x']],
  ['👩🏽xy', ['👩🏽x', '🏽xy']],
])('the trigrams of %j are %j', (needle, grams) => {
  expect(searchGrams(needle)).toEqual(grams)
})

test('the trigrams of every part of a key are among those of the key', () => {
  const key = searchKey({ login: 'anna.maria', displayName: 'Änne 👩🏽‍🌾 Müller' })
  const characters = [...key]
  const grams = new Set(searchGrams(key))
  for (let from = 0; from < characters.length; from++)
    for (let to = from; to <= characters.length; to++)
      expect(searchGrams(characters.slice(from, to).join('')).filter((gram) => !grams.has(gram))).toEqual([])
})

test('a text with a line break is not findable', () => {
  expect(isFindable('ann\nän')).toBe(false)
  expect(isFindable("o'neil 🌷")).toBe(true)
})
