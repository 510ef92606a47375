import { expect, jest, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { PresenceStatus, type User } from '@parley/client/contract'
import { People } from './people.ts'

test('a user whom the server does not know is shown as deleted; without an answer nobody is, and the request is repeated', async () => {
  const answers: Promise<object>[] = []
  const server = { api: { user: { batchGetUsers: () => answers.shift() } } } as unknown as MemberClient
  const people = new People(server, 'Ume', 'Wer gelöscht ist')
  const told = async (userId: string, answer: Promise<object>) => {
    answers.push(answer)
    const cell = people.of(userId)
    await new Promise<void>((resolve) => cell.subscribe(resolve))
    return cell.value
  }
  expect(await told('Ugone', Promise.resolve({ users: [] }))).toMatchObject({
    deleted: true,
    displayName: 'Wer gelöscht ist',
  })
  // The server calls them something, in the one language that it has.
  people.learn([{ id: 'Uold', login: '', displayName: 'Deleted User', deleted: true } as User])
  expect(people.of('Uold').value?.displayName).toBe('Wer gelöscht ist')

  jest.useFakeTimers({ doNotFake: ['queueMicrotask'] })
  const away = Promise.reject(new Error('away'))
  away.catch(() => undefined)
  answers.push(away)
  const other = people.of('Uother')
  await jest.advanceTimersByTimeAsync(1_000)
  expect([answers.length, other.value]).toEqual([0, undefined])
  answers.push(Promise.resolve({ users: [{ user: { id: 'Uother', login: 'other' } }] }))
  await jest.advanceTimersByTimeAsync(60_000)
  expect(other.value).toMatchObject({ login: 'other' })
  jest.useRealTimers()
})

test('a user who arrives in another answer meanwhile is not requested', async () => {
  const asked: string[][] = []
  const batchGetUsers = async ({ userIds }: { userIds: string[] }) => {
    asked.push(userIds)
    return { users: [] }
  }
  const people = new People({ api: { user: { batchGetUsers } } } as unknown as MemberClient, 'Ume', 'gone')
  const [told, untold] = [people.of('Utold'), people.of('Uuntold')]
  await Promise.resolve()
  people.learn([{ id: 'Utold', login: 'told' } as User])
  await new Promise<void>((resolve) => untold.subscribe(resolve))
  expect(asked).toEqual([['Uuntold']])
  expect(told.value).toMatchObject({ login: 'told' })
})

test('an answer about messages does not change known presence', () => {
  const people = new People({} as unknown as MemberClient, 'Ume', 'gone')
  const bob = { id: 'Ubob', login: 'bob', displayName: 'Bob', presenceStatus: PresenceStatus.AWAY } as User
  people.learnNames([bob])
  expect(people.of('Ubob').value).toMatchObject({ presenceStatus: PresenceStatus.AWAY })
  people.patch('Ubob', { presenceStatus: PresenceStatus.ONLINE })
  people.learnNames([{ ...bob, displayName: 'Robert' }])
  expect(people.of('Ubob').value).toMatchObject({ displayName: 'Robert', presenceStatus: PresenceStatus.ONLINE })
  people.learn([bob])
  expect(people.of('Ubob').value).toMatchObject({ presenceStatus: PresenceStatus.AWAY })
})
