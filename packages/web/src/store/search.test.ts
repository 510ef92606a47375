import { expect, test } from '@jest/globals'
import { searchIn } from './search.ts'

const find = (typed: string) => searchIn(['release plans', 'Plans', 'Café', 'general'], typed, (word) => word)

test.each([
  ['plan', ['Plans', 'release plans']],
  ['pl rel', ['release plans']],
  ['CAFE', ['Café']],
  ['', ['release plans', 'Plans', 'Café', 'general']],
  ['xyz', []],
])('%j finds %j', (typed, found) => expect(find(typed)).toEqual(found))
