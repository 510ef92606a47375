import { expect, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import type { User } from '@parley/client/contract'
import { People } from './people.ts'
import { listRoomMembers } from './room-members.ts'

test('a list of members requested before a user has changed does not undo the change', async () => {
  let answer: (response: object) => void = () => undefined
  const listMembers = () => new Promise((resolve) => (answer = resolve))
  const server = { api: { room: { listMembers } } } as unknown as MemberClient
  const people = new People(server, 'Ume', 'gone')
  const ann = { id: 'Uann', login: 'ann', displayName: 'Ann' } as User
  people.learn([ann])
  const members = listRoomMembers(server, people, { roomId: 'R1', pageSize: 50 })
  const loaded = members.reload()
  people.patch('Uann', { displayName: 'Anna' })
  answer({ members: [{ user: ann }] })
  await loaded
  expect(members.items.value).toEqual(['Uann'])
  expect(people.of('Uann').value?.displayName).toBe('Anna')
})
