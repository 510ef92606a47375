import { expect, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import type { User } from '@parley/client/contract'
import { People } from './people.ts'

test('whom the server does not know is shown as deleted; without an answer nobody is', async () => {
  const answers: Promise<object>[] = []
  const server = { api: { user: { batchGetUsers: () => answers.shift() } } } as unknown as MemberClient
  const people = new People(server, 'Ume')
  const told = async (userId: string, answer: Promise<object>) => {
    answers.push(answer)
    const cell = people.of(userId)
    await new Promise<void>((resolve) => cell.subscribe(resolve))
    return cell.value
  }
  expect(await told('Ugone', Promise.resolve({ users: [] }))).toMatchObject({
    deleted: true,
    displayName: 'Deleted User',
  })
  answers.push(Promise.reject(new Error('away')))
  const other = people.of('Uother')
  await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(undefined))))
  while (answers.length > 0) await new Promise((resolve) => setTimeout(resolve, 1))
  await told('Unext', Promise.resolve({ users: [] }))
  expect(other.value).toBeUndefined()
})

test('whom another answer tells of meanwhile is not asked for', async () => {
  const asked: string[][] = []
  const batchGetUsers = async ({ userIds }: { userIds: string[] }) => {
    asked.push(userIds)
    return { users: [] }
  }
  const people = new People({ api: { user: { batchGetUsers } } } as unknown as MemberClient, 'Ume')
  const [told, untold] = [people.of('Utold'), people.of('Uuntold')]
  await Promise.resolve()
  people.learn([{ id: 'Utold', login: 'told' } as User])
  await new Promise<void>((resolve) => untold.subscribe(resolve))
  expect(asked).toEqual([['Uuntold']])
  expect(told.value).toMatchObject({ login: 'told' })
})
