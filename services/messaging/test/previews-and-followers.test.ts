import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { echoed, say } from './_conversation.ts'
import { startFleet, type Fleet } from './_fleet.ts'
import { attach } from './_parts.ts'

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(async () => fleet[Symbol.asyncDispose]())

describe('PreviewMessages', () => {
  const preview = async (...asked: [roomId: string, eventId: string][]) => {
    const { messages } = await fleet.messaging.previewMessages({
      messages: asked.map(([roomId, eventId]) => ({ roomId, eventId })),
    })
    const bare = messages.map(({ eventId, text, attachments }) => [eventId, { text, attachments }] as const)
    return new Map(bare)
  }

  test('shows how messages of any rooms begin, without marks', async () => {
    const [one, two] = [await fleet.room().channel(['ann']), await fleet.room().dm(['ann', 'bob'])]
    const bold = await say(fleet.as('ann'), one.roomId, `**bold** ${'x'.repeat(200)}`)
    const direct = await say(fleet.as('ann'), two.roomId, 'see')
    await attach(fleet, two.roomId, direct.id, [{}, {}])
    expect(await preview([one.roomId, bold.id], [two.roomId, direct.id])).toEqual(
      new Map([
        [bold.id, { text: `bold ${'x'.repeat(95)}`, attachments: 0 }],
        [direct.id, { text: 'see', attachments: 2 }],
      ]),
    )
  })

  test('an echo shows its reply, with its files', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const { reply, echoId } = await echoed(fleet.as('ann'), roomId)
    await attach(fleet, roomId, reply.id, [{}])
    expect(await preview([roomId, echoId])).toEqual(new Map([[echoId, { text: 'reply', attachments: 1 }]]))
    await fleet.as('ann').messages.updateMessage({ roomId, eventId: reply.id, body: 'better' })
    expect(await preview([roomId, echoId])).toEqual(new Map([[echoId, { text: 'better', attachments: 1 }]]))
  })

  test('leaves out what is unknown, elsewhere, retracted or no message', async () => {
    const room = await fleet.room().channel(['ann'])
    const other = await fleet.room().channel(['ann'])
    const { roomId } = room
    const gone = await say(fleet.as('ann'), roomId, 'gone')
    const { reply, echoId } = await echoed(fleet.as('ann'), roomId)
    const kept = await say(fleet.as('ann'), roomId, 'kept')
    for (const eventId of [gone.id, reply.id]) await fleet.as('ann').messages.deleteMessage({ roomId, eventId })
    const joined = room.facts[1]?.eventId ?? ''
    const found = await preview(
      ...[gone.id, reply.id, echoId, joined, 'Enothing', kept.id].map((id): [string, string] => [roomId, id]),
      [other.roomId, kept.id],
    )
    expect([...found.keys()]).toEqual([kept.id])
  })

  test('looks at no more than 100 at once', async () => {
    const messages = Array.from({ length: 101 }, (_, n) => ({ roomId: 'R1', eventId: `E${n}` }))
    const asking = fleet.messaging.previewMessages({ messages })
    await expect(asking).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})

test('ListThreadFollowers pages through those who follow', async () => {
  const people = ['ann', 'bob', 'cyd', 'dan', 'eve']
  const room = await fleet.room().channel(people)
  const { roomId } = room
  const { id: threadRootEventId } = await say(fleet.as('ann'), roomId, 'root')
  const other = await say(fleet.as('ann'), roomId, 'another')
  for (const person of people) await fleet.as(person).threads.followThread({ roomId, threadRootEventId })
  await fleet.as('bob').threads.unfollowThread({ roomId, threadRootEventId })
  await fleet.as('bob').threads.followThread({ roomId, threadRootEventId: other.id })
  await room.leave('eve')
  const followers = async (after: string, limit: number) =>
    (await fleet.messaging.listThreadFollowers({ roomId, threadRootEventId, after, limit })).userIds
  expect(await followers('', 0)).toEqual(['ann', 'cyd', 'dan', 'eve'])
  expect(await followers('', 3)).toEqual(['ann', 'cyd', 'dan'])
  expect(await followers('dan', 3)).toEqual(['eve'])
  const nowhere = { roomId: 'Rnothing', threadRootEventId, limit: 10 }
  expect((await fleet.messaging.listThreadFollowers(nowhere)).userIds).toEqual([])
})
