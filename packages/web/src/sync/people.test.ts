import { describe, expect, jest, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { PresenceStatus, type User } from '@parley/client/contract'
import { People } from './people.ts'

test('a user unknown to the server is shown as deleted, and a user whose request failed is requested again', async () => {
  const answers: Promise<object>[] = []
  const server = { api: { user: { batchGetUsers: () => answers.shift() } } } as unknown as MemberClient
  const people = new People(server, 'Ume', 'Gelöschtes Konto')
  const loadUser = async (userId: string, answer: Promise<object>) => {
    answers.push(answer)
    const cell = people.of(userId)
    await new Promise<void>((resolve) => cell.subscribe(resolve))
    return cell.value
  }
  expect(await loadUser('Ugone', Promise.resolve({ users: [] }))).toMatchObject({
    deleted: true,
    displayName: 'Gelöschtes Konto',
  })
  // The server returns a placeholder name in its own language.
  people.learn([{ id: 'Uold', login: '', displayName: 'Deleted User', deleted: true } as User])
  expect(people.of('Uold').value?.displayName).toBe('Gelöschtes Konto')

  jest.useFakeTimers({ doNotFake: ['queueMicrotask'] })
  const unavailable = Promise.reject(new Error('unavailable'))
  unavailable.catch(() => undefined)
  answers.push(unavailable)
  const other = people.of('Uother')
  await jest.advanceTimersByTimeAsync(1_000)
  expect([answers.length, other.value]).toEqual([0, undefined])
  answers.push(Promise.resolve({ users: [{ user: { id: 'Uother', login: 'other' } }] }))
  await jest.advanceTimersByTimeAsync(60_000)
  expect(other.value).toMatchObject({ login: 'other' })
  jest.useRealTimers()
})

test('only displayed people have their presence reloaded, and a newer event is not overwritten', async () => {
  jest.useFakeTimers({ doNotFake: ['queueMicrotask'] })
  const requested: string[][] = []
  let answer = () => {}
  const server = {
    api: {
      user: {
        batchGetUsers: async ({ userIds }: { userIds: string[] }) => {
          requested.push(userIds)
          await new Promise<void>((resolve) => (answer = resolve))
          return { users: userIds.map((id) => ({ user: { id, presenceStatus: PresenceStatus.OFFLINE } })) }
        },
      },
    },
  } as unknown as MemberClient
  const people = new People(server, 'Ume', 'gone')
  const { ONLINE, AWAY, OFFLINE } = PresenceStatus
  const known = ['Ushown', 'Unewer', 'Uhidden'].map((id) => ({ id, login: id, presenceStatus: ONLINE }) as User)
  people.learn([...known, { id: 'Udeleted', login: '', deleted: true } as User])
  for (const id of ['Ushown', 'Unewer', 'Udeleted']) people.of(id).subscribe(() => undefined)
  people.reloadPresence()
  await jest.advanceTimersByTimeAsync(2_000)
  expect(requested).toEqual([['Ushown', 'Unewer']])
  people.patch('Unewer', { presenceStatus: AWAY })
  answer()
  await jest.advanceTimersByTimeAsync(0)
  expect(['Ushown', 'Unewer'].map((id) => people.of(id).value?.presenceStatus)).toEqual([OFFLINE, AWAY])
  expect(people.of('Uhidden').value).toBeUndefined()
  expect(people.of('Ushown').value?.login).toBe('Ushown')
  jest.useRealTimers()
})

test('a user learned from another response is not requested', async () => {
  const requested: string[][] = []
  const batchGetUsers = async ({ userIds }: { userIds: string[] }) => {
    requested.push(userIds)
    return { users: [] }
  }
  const people = new People({ api: { user: { batchGetUsers } } } as unknown as MemberClient, 'Ume', 'gone')
  const [learned, unknown] = [people.of('Ulearned'), people.of('Uunknown')]
  await Promise.resolve()
  people.learn([{ id: 'Ulearned', login: 'learned' } as User])
  await new Promise<void>((resolve) => unknown.subscribe(resolve))
  expect(requested).toEqual([['Uunknown']])
  expect(learned.value).toMatchObject({ login: 'learned' })
})

test('a response about messages changes names, but not known presence', () => {
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

describe('after a change of a user', () => {
  const { AWAY, ONLINE } = PresenceStatus
  const customStatus = { $typeName: 'svc.api.v1.CustomUserStatus' as const, emoji: 'tada', text: 'Done' }
  const old = {
    id: 'Uann',
    login: 'ann',
    displayName: 'Ann',
    deleted: false,
    presenceStatus: ONLINE,
    customStatus,
  } as User

  /** How Uann is displayed if the change is reported while an older response is awaited. */
  async function shownAfter(change: (people: People) => void, known: User[] = [old]): Promise<User | undefined> {
    const people = new People({} as unknown as MemberClient, 'Ume', 'gone')
    people.learn(known)
    await people.trackChangesDuring(async (changes) => {
      change(people)
      await Promise.resolve()
      people.learn([old], changes)
    })
    return people.of('Uann').value
  }

  test('a response requested before it does not undo a new name', async () => {
    const renamed = await shownAfter((people) => people.patch('Uann', { login: 'anna', displayName: 'Anna' }))
    expect(renamed).toMatchObject({ login: 'anna', displayName: 'Anna', presenceStatus: ONLINE, customStatus })
  })

  test('a response requested before it does not undo new presence', async () =>
    expect(await shownAfter((people) => people.patch('Uann', { presenceStatus: AWAY }))).toMatchObject({
      displayName: 'Ann',
      presenceStatus: AWAY,
    }))

  test('a response requested before it does not restore a cleared status', async () =>
    expect((await shownAfter((people) => people.clearCustomStatus('Uann')))?.customStatus).toBeUndefined())

  test('a response requested before it does not restore a deleted account', async () =>
    expect(await shownAfter((people) => people.markDeleted('Uann'))).toMatchObject({
      deleted: true,
      displayName: 'gone',
    }))

  test('a response requested before it does not undo the change of a user who was unknown until then', async () =>
    expect(await shownAfter((people) => people.patch('Uann', { displayName: 'Anna' }), [])).toMatchObject({
      login: 'ann',
      displayName: 'Anna',
    }))

  test('a response requested after it is shown', async () => {
    const people = new People({} as unknown as MemberClient, 'Ume', 'gone')
    people.learn([old])
    people.patch('Uann', { displayName: 'Anna' })
    await people.trackChangesDuring(async (changes) => people.learn([{ ...old, displayName: 'Annie' }], changes))
    expect(people.of('Uann').value?.displayName).toBe('Annie')
  })
})
