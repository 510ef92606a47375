import { expect, test } from '@jest/globals'
import { sortedByName } from './by-name.ts'

test('people are sorted by the names that are shown, with umlauts and capital letters in place', () => {
  const people = [
    { displayName: 'Zoe', login: 'aaron' },
    { displayName: '', login: 'parley' },
    { displayName: 'änne', login: 'u1' },
    { displayName: 'Bob', login: 'second' },
    { displayName: 'Bob', login: 'first' },
    { displayName: 'Anna', login: 'u2' },
  ]
  const sorted = sortedByName(people, (person) => person, 'de')
  expect(sorted.map(({ login }) => login)).toEqual(['u2', 'u1', 'first', 'second', 'parley', 'aaron'])
})
