import { expect, test } from '@jest/globals'
import { choicesFor } from './choices.ts'

const rooms = ['announcements', 'general', 'a', 'b', 'c', 'd', 'e'].map((name) => ({ name }))
const commands = [{ name: 'Settings' }, { name: 'Status', words: 'Away' }, { name: 'Appearance', words: 'Dark' }]
const people = [
  { name: 'Annabel', login: 'annabel' },
  { name: 'Ann Example', login: 'Ann' },
]
const find = (typed: string) => choicesFor(typed, rooms, commands, people).map(({ name }) => name)

test('the person with exactly the typed login comes before a room that begins with it', () =>
  expect(find('ann')).toEqual(['Ann Example', 'announcements', 'Annabel']))

test.each([
  ['away', 'Status'],
  ['DARK', 'Appearance'],
  ['status', 'Status'],
])('%s finds the command %s', (typed, name) => expect(find(typed)[0]).toBe(name))

test('before anything is typed, the first rooms and all commands are listed, but no people', () =>
  expect(find(' ')).toEqual(['announcements', 'general', 'a', 'b', 'c', 'd', 'Settings', 'Status', 'Appearance']))
