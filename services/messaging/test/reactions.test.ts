import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { eventually, retryWhileOverloaded } from '@parley/testkit'
import { gemoji } from 'gemoji'
import { postWithEcho, messageNotFound, recordRoomEvents, errorWith, say, clientEventsOf } from './_conversation.ts'
import { useFleet, type Person } from './_fleet.ts'

const fleet = useFleet({ processes: 2 })

const people = ['ann', 'bob', 'p1', 'p2', 'p3', 'p4', 'p5']
const room = async () => (await fleet.room().channel(people)).roomId
const [ann, bob] = [() => fleet.as('ann'), () => fleet.as('bob')]
const add = (person: Person, roomId: string, messageEventId: string, emoji = 'tada') =>
  person.messages.addReaction({ roomId, messageEventId, emoji })
const remove = (person: Person, roomId: string, messageEventId: string, emoji = 'tada') =>
  person.messages.removeReaction({ roomId, messageEventId, emoji })

test('a reaction is added once and announced once', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await using recorded = await recordRoomEvents(fleet, roomId)
  const reaction = { emoji: 'tada', count: 1, hasReacted: true, previewUserIds: ['bob'] }
  expect(await add(bob(), roomId, id)).toMatchObject({ added: true, reaction })
  expect(await add(bob(), roomId, id)).toMatchObject({ added: false, reaction })
  expect(await add(ann(), roomId, id)).toMatchObject({
    added: true,
    reaction: { count: 2, hasReacted: true, previewUserIds: ['bob', 'ann'] },
  })
  await eventually(() => recorded.events.length === 2)
  expect(recorded.events[0]).toMatchObject({ actorId: 'bob', version: 10n })
  expect(recorded.events[0]?.fact).toMatchObject({
    case: 'reaction',
    value: { roomSeq: 10n, messageEventId: id, emoji: 'tada' },
  })
  const deliveries = [{ to: roomId, kind: 'reactionAdded', roomId, messageEventId: id, emoji: 'tada' }]
  expect(clientEventsOf(recorded.events)).toEqual([
    { kind: 'reaction_added', deliveries },
    { kind: 'reaction_added', deliveries },
  ])
})

test('a reaction is removed once', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await add(ann(), roomId, id)
  await add(bob(), roomId, id)
  await using recorded = await recordRoomEvents(fleet, roomId)
  expect(await remove(ann(), roomId, id)).toMatchObject({
    removed: true,
    reaction: { emoji: 'tada', count: 1, hasReacted: false, previewUserIds: ['bob'] },
  })
  expect(await remove(ann(), roomId, id)).toMatchObject({ removed: false, reaction: { count: 1 } })
  const last = await remove(bob(), roomId, id)
  expect([last.removed, last.reaction]).toEqual([true, undefined])
  const none = await remove(bob(), roomId, id)
  expect([none.removed, none.reaction]).toEqual([false, undefined])
  await eventually(() => recorded.events.length === 2)
  expect(clientEventsOf(recorded.events).map(({ kind }) => kind)).toEqual(['reaction_removed', 'reaction_removed'])
  expect(recorded.events.map(({ actorId }) => actorId)).toEqual(['ann', 'bob'])
})

test('a reaction names the first five users; if one of these removes it, the sixth is named', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  for (const userId of people) await add(fleet.as(userId), roomId, id)
  const named = async (person: Person) => (await add(person, roomId, id)).reaction
  expect(await named(ann())).toMatchObject({ count: 7, previewUserIds: ['ann', 'bob', 'p1', 'p2', 'p3'] })
  await remove(bob(), roomId, id)
  expect(await named(ann())).toMatchObject({ count: 6, previewUserIds: ['ann', 'p1', 'p2', 'p3', 'p4'] })
  await remove(fleet.as('p5'), roomId, id)
  expect(await named(ann())).toMatchObject({ count: 5, previewUserIds: ['ann', 'p1', 'p2', 'p3', 'p4'] })
})

test('when everyone reacts twice concurrently, everyone is counted once', async () => {
  const roomId = await room()
  const { id } = await say(ann(), roomId, 'x')
  await using recorded = await recordRoomEvents(fleet, roomId)
  const answers = await Promise.all([...people, ...people].map((userId) => add(fleet.as(userId), roomId, id)))
  expect(answers.filter(({ added }) => added)).toHaveLength(people.length)
  expect((await add(ann(), roomId, id)).reaction?.count).toBe(people.length)
  const removals = await Promise.all([...people, ...people].map((userId) => remove(fleet.as(userId), roomId, id)))
  expect(removals.filter(({ removed }) => removed)).toHaveLength(people.length)
  expect((await remove(ann(), roomId, id)).reaction).toBeUndefined()
  await fleet.untilRelayed(roomId)
  await eventually(() => recorded.events.length === 2 * people.length)
})

test('a reaction to an echo counts for its reply', async () => {
  const roomId = await room()
  const { reply, echoId } = await postWithEcho(ann(), roomId)
  await using recorded = await recordRoomEvents(fleet, roomId)
  expect((await add(bob(), roomId, echoId)).added).toBe(true)
  expect((await add(bob(), roomId, reply.id)).added).toBe(false)
  expect((await remove(bob(), roomId, echoId)).removed).toBe(true)
  await eventually(() => recorded.events.length === 2)
  expect(clientEventsOf(recorded.events).flatMap(({ deliveries }) => deliveries)).toMatchObject([
    { kind: 'reactionAdded', messageEventId: reply.id },
    { kind: 'reactionRemoved', messageEventId: reply.id },
  ])
})

describe('a reaction is refused', () => {
  test.each([':tada:', '🎉', 'nothing_like_it', 'TADA', 'constructor'])(
    'with the unknown emoji %j: invalid_argument',
    async (emoji) => {
      const roomId = await room()
      const { id } = await say(ann(), roomId, 'x')
      const unknown = errorWith(Code.InvalidArgument, 'emoji')
      await expect(add(ann(), roomId, id, emoji)).rejects.toMatchObject(unknown)
      await expect(remove(ann(), roomId, id, emoji)).rejects.toMatchObject(unknown)
    },
  )

  test('to anything but a message of the room, and to a retracted message: not_found', async () => {
    const roomId = await room()
    const { id } = await say(ann(), roomId, 'x')
    await add(bob(), roomId, id)
    await ann().messages.deleteMessage({ roomId, eventId: id })
    const { reply, echoId } = await postWithEcho(ann(), roomId)
    await ann().messages.updateMessage({ roomId, eventId: reply.id, alsoSendToChannel: false })
    const { page } = await ann().rooms.getRoomEvents({ roomId })
    for (const eventId of ['Enothing', 'a b', id, echoId, page?.events[0]?.id ?? '']) {
      await expect(add(ann(), roomId, eventId)).rejects.toMatchObject(messageNotFound)
      await expect(remove(bob(), roomId, eventId)).rejects.toMatchObject(messageNotFound)
    }
  })

  test('by a non-member: permission_denied', async () => {
    const channel = await fleet.room().channel(['ann', 'bob'])
    const { roomId } = channel
    const { id } = await say(ann(), roomId, 'x')
    await channel.ban('bob')
    for (const person of [bob(), fleet.as('eve')]) {
      const outside = errorWith(Code.PermissionDenied, 'not a member')
      await expect(add(person, roomId, id)).rejects.toMatchObject(outside)
      await expect(remove(person, roomId, id)).rejects.toMatchObject(outside)
    }
  })

  test('with more than 50 different emojis: failed_precondition; existing ones still work', async () => {
    const roomId = await room()
    const { id } = await say(ann(), roomId, 'x')
    const emojis = gemoji.slice(0, 52).map(({ names: [name = ''] }) => name)
    const outcomes = await Promise.allSettled(
      emojis.map((emoji) => retryWhileOverloaded(() => add(ann(), roomId, id, emoji))),
    )
    const added = emojis.filter((_, n) => outcomes[n]?.status === 'fulfilled')
    const [one = '', other = ''] = emojis.filter((emoji) => !added.includes(emoji))
    expect([added.length, other]).toEqual([50, expect.stringMatching(/./)])
    await expect(add(bob(), roomId, id, one)).rejects.toMatchObject(errorWith(Code.FailedPrecondition, '50 different'))
    expect(await add(bob(), roomId, id, added[0])).toMatchObject({ added: true, reaction: { count: 2 } })
    await remove(ann(), roomId, id, added[1])
    expect(await add(bob(), roomId, id, one)).toMatchObject({ added: true })
  })

  test('in an archived room, where it can only be removed: failed_precondition', async () => {
    const channel = await fleet.room().channel(['ann'])
    const { roomId } = channel
    const { id } = await say(ann(), roomId, 'x')
    await add(ann(), roomId, id)
    await channel.archive()
    await expect(add(ann(), roomId, id, 'eyes')).rejects.toMatchObject(errorWith(Code.FailedPrecondition, 'archived'))
    expect((await remove(ann(), roomId, id)).removed).toBe(true)
  })

  test('without message.react, which is also required to remove it: permission_denied', async () => {
    const roomId = await room()
    const { id } = await say(ann(), roomId, 'x')
    await add(ann(), roomId, id)
    fleet.fakes.policy.decisions.push({
      $typeName: 'svc.internal.v1.PolicyDecision',
      ...{ roleId: 'everyone', userId: '', permission: 'message.react', decision: PermissionDecision.DENY },
      scope: { $typeName: 'svc.admin.v1.PermissionScope', kind: PermissionScopeKind.ROOM, id: roomId },
    })
    await fleet.restart()
    const lacking = errorWith(Code.PermissionDenied, 'message.react')
    await expect(add(ann(), roomId, id)).rejects.toMatchObject(lacking)
    await expect(remove(ann(), roomId, id)).rejects.toMatchObject(lacking)
  })
})
