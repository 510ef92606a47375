import { afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import { setLanguageFromFile } from '../messages/_texts-from-files.ts'
import type { Chat } from './chat.ts'
import { People } from './people.ts'
import { Suggestions } from './suggestions.ts'

const ada = { id: 'Uada', login: 'ada', displayName: 'Ada' }

function createSuggestions(...answers: (object | Error)[]) {
  const listMembers = () => {
    const answer = answers.shift()
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  const listUsers = async () => ({ users: [{ user: ada }] })
  const server = { api: { room: { listMembers }, user: { listUsers } } }
  const chat = {
    server,
    people: new People(server as unknown as MemberClient, 'Ume', 'gone'),
    viewer: { value: { mentionableRoles: [] } },
  } as unknown as Chat
  return { answers, suggestions: new Suggestions(chat, 'R1') }
}

const names = ({ found }: Suggestions) => found.value.map(({ name }) => name)

beforeAll(() => setLanguageFromFile('en'))
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('a failed request is repeated', async () => {
  const unavailable = new ConnectError('unavailable', Code.Unavailable)
  const { suggestions } = createSuggestions(unavailable, unavailable, { members: [{ user: ada }] })
  void suggestions.update({ kind: 'person', typed: 'ad', from: 0 })
  await jest.advanceTimersByTimeAsync(60_000)
  expect(names(suggestions)).toEqual(['Ada'])
})

test('a failed request is not repeated if the text has changed or the server refuses it', async () => {
  const { answers, suggestions } = createSuggestions(
    new ConnectError('unavailable', Code.Unavailable),
    new ConnectError('no', Code.PermissionDenied),
    { members: [{ user: ada }] },
  )
  void suggestions.update({ kind: 'person', typed: 'ad', from: 0 })
  await jest.advanceTimersByTimeAsync(500)
  void suggestions.update({ kind: 'person', typed: 'b', from: 0 })
  await jest.advanceTimersByTimeAsync(60_000)
  expect([names(suggestions), answers.length]).toEqual([[], 1])
})

test.each([
  [
    'a person who is not in the room is suggested with a note that says so',
    { members: [] },
    'ad',
    [['Ada', 'not in this room']],
  ],
  [
    'a member of the room is suggested with the login instead of a note',
    { members: [{ user: ada }] },
    'ad',
    [['Ada', 'ada']],
  ],
  ['nobody outside the room is suggested before a letter is typed', { members: [] }, '', []],
  ['nobody is suggested where members are hidden', new ConnectError('no', Code.PermissionDenied), 'ad', []],
] as const)('%s', async (_, members, typed, suggested) => {
  const { suggestions } = createSuggestions(members)
  void suggestions.update({ kind: 'person', typed, from: 0 })
  await jest.advanceTimersByTimeAsync(500)
  expect(suggestions.found.value.map(({ name, hint }) => [name, hint])).toEqual(suggested)
})

test('emoji whose shortcode begins with the typed text come before those found by keywords', async () => {
  const { suggestions } = createSuggestions()
  await suggestions.update({ kind: 'emoji', typed: 'smi', from: 0 })
  expect(names(suggestions).slice(0, 3)).toEqual([':smile:', ':smirk:', ':smiley:'])
  await suggestions.update({ kind: 'emoji', typed: 'thumbs', from: 0 })
  expect(names(suggestions)[0]).toBe(':thumbsup:')
})
