import { expect, test } from '@jest/globals'
import { StatementNames } from './statement-names.ts'

test('a statement has a name from its third run on, a different one for each text', () => {
  const names = new StatementNames()
  const run = (text: string) => names.of(text)
  expect(['a', 'b', 'a', 'a', 'b', 'b', 'a'].map(run)).toEqual([
    ...[undefined, undefined, undefined],
    ...['parley_0', undefined, 'parley_1', 'parley_0'],
  ])
})

test('at most two hundred statements have a name, however many texts there are', () => {
  const names = new StatementNames()
  const texts = Array.from({ length: 5_000 }, (_, n) => `select ${n}`)
  const given = texts.flatMap((text) => [1, 2, 3].map(() => names.of(text)))
  expect(given.filter(Boolean)).toHaveLength(200)
  expect(names.of('select 0')).toBe('parley_0')
})
