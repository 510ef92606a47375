import { expect, test } from '@jest/globals'
import { AdminRoomLayoutService } from '@parley/contracts/admin'
import { MessageService, RoomDirectoryService, RoomService, ThreadService, UserService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { newPerson, operate, signInOwner, type Person } from '../src/people.ts'

async function samplesOf(person: Person) {
  const { groups } = await person.call(RoomDirectoryService.method.listRoomGroups, {})
  const rooms = groups.flatMap(({ items }) =>
    items.flatMap(({ item }) => (item.case === 'room' ? [item.value.room] : [])),
  )
  return new Map(rooms.flatMap((room) => (room?.name.startsWith('sample-') ? [[room.name, room.id]] : [])))
}

const messagesIn = async (person: Person, roomId: string) => {
  const { page } = await person.call(RoomService.method.getRoomEvents, { roomId })
  return (page?.events ?? []).flatMap(({ event }) => (event.case === 'messagePosted' ? [event.value.message] : []))
}

test('sample content is created once even if the command is repeated, and can be removed', async () => {
  const ada = await newPerson('ada')
  await operate(['demo'])
  const rooms = await eventually(async () => {
    const found = await samplesOf(ada)
    expect([...found.keys()].sort()).toEqual(['sample-kitchen', 'sample-launch', 'sample-questions'])
    return found
  })
  const roomId = rooms.get('sample-launch') ?? ''
  const messages = await messagesIn(ada, roomId)
  const question = messages.find((message) => message?.body?.startsWith('Two of the pictures'))
  expect(messages.flatMap((message) => message?.attachments ?? []).map(({ filename }) => filename)).toEqual([
    'checklist.md',
    'hills.png',
  ])
  const threadRootEventId = question?.id ?? ''
  const thread = await ada.call(ThreadService.method.getThreadEvents, { roomId, threadRootEventId })
  expect(thread.page?.events.length).toBeGreaterThanOrEqual(2)
  await operate(['demo', 'create'])
  expect(await messagesIn(ada, roomId)).toHaveLength(messages.length)

  // A renamed group still belongs to the sample content; another group with its old name does not.
  const owner = await signInOwner()
  const { groups } = await owner.call(RoomDirectoryService.method.listRoomGroups, {})
  const sample = groups.find(({ name }) => name === 'Sample')
  const renamed = { groupId: sample?.id ?? '', name: 'Of the sample' }
  await owner.call(AdminRoomLayoutService.method.updateRoomGroup, renamed)
  const { group: own } = await owner.call(AdminRoomLayoutService.method.createRoomGroup, { name: 'Sample' })

  expect(await operate(['demo', 'remove'])).toMatchObject({
    groupDeleted: true,
    archived: expect.arrayContaining([...rooms.keys()]),
  })
  await eventually(async () => expect((await samplesOf(ada)).size).toBe(0))
  const ids = (await owner.call(RoomDirectoryService.method.listRoomGroups, {})).groups.map(({ id }) => id)
  expect(ids).not.toContain(sample?.id)
  expect(ids).toContain(own?.id)
  await owner.call(AdminRoomLayoutService.method.deleteRoomGroup, { groupId: own?.id ?? '' })
  expect((await ada.call(UserService.method.listUsers, { search: '(sample)' })).users).toEqual([])
  await eventually(async () => {
    const left = await ada.attempt(MessageService.method.getMessage, { roomId, eventId: threadRootEventId })
    expect(left.status).toBe(404)
  })
  await expect(operate(['demo', 'remove'])).rejects.toThrow('there is no sample content to remove')
})
