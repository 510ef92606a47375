import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { newId } from '@parley/ids'
import { postWithEcho, say } from './_conversation.ts'
import { useFleet } from './_fleet.ts'
import { attach, addPreview } from './_parts.ts'

const fleet = useFleet()

describe('PreviewMessages', () => {
  const excerptsOf = async (...requested: [roomId: string, eventId: string][]) => {
    const { messages } = await fleet.messaging.previewMessages({
      messages: requested.map(([roomId, eventId]) => ({ roomId, eventId })),
    })
    const bare = messages.map(({ eventId, text, attachments }) => [eventId, { text, attachments }] as const)
    return new Map(bare)
  }

  test('returns the beginning of messages of any rooms, without Markdown', async () => {
    const [one, two] = [await fleet.room().channel(['ann']), await fleet.room().dm(['ann', 'bob'])]
    const bold = await say(fleet.as('ann'), one.roomId, `**bold** ${'x'.repeat(200)}`)
    const direct = await say(fleet.as('ann'), two.roomId, 'see')
    await attach(fleet, two.roomId, direct.id, [{}, {}])
    expect(await excerptsOf([one.roomId, bold.id], [two.roomId, direct.id])).toEqual(
      new Map([
        [bold.id, { text: `bold ${'x'.repeat(95)}`, attachments: 0 }],
        [direct.id, { text: 'see', attachments: 2 }],
      ]),
    )
  })

  test('returns for an echo the text and the number of files of its reply', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const { reply, echoId } = await postWithEcho(fleet.as('ann'), roomId)
    await attach(fleet, roomId, reply.id, [{}])
    expect(await excerptsOf([roomId, echoId])).toEqual(new Map([[echoId, { text: 'reply', attachments: 1 }]]))
    await fleet.as('ann').messages.updateMessage({ roomId, eventId: reply.id, body: 'better' })
    expect(await excerptsOf([roomId, echoId])).toEqual(new Map([[echoId, { text: 'better', attachments: 1 }]]))
  })

  test('leaves out unknown and retracted messages, messages of another room, and other events', async () => {
    const room = await fleet.room().channel(['ann'])
    const other = await fleet.room().channel(['ann'])
    const { roomId } = room
    const gone = await say(fleet.as('ann'), roomId, 'gone')
    const { reply, echoId } = await postWithEcho(fleet.as('ann'), roomId)
    const kept = await say(fleet.as('ann'), roomId, 'kept')
    for (const eventId of [gone.id, reply.id]) await fleet.as('ann').messages.deleteMessage({ roomId, eventId })
    const joined = room.facts[1]?.eventId ?? ''
    const found = await excerptsOf(
      ...[gone.id, reply.id, echoId, joined, 'Enothing', kept.id].map((id): [string, string] => [roomId, id]),
      [other.roomId, kept.id],
    )
    expect([...found.keys()]).toEqual([kept.id])
  })

  test('accepts at most 100 messages per call', async () => {
    const messages = Array.from({ length: 101 }, (_, n) => ({ roomId: 'R1', eventId: `E${n}` }))
    const requesting = fleet.messaging.previewMessages({ messages })
    await expect(requesting).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})

describe('FindFileUses', () => {
  const uses = ({ assetIds = [] as string[], previewImageKeys = [] as string[] }) =>
    fleet.messaging.findFileUses({ assetIds, previewImageKeys })

  test('returns the messages that attach files, until they are retracted', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const { id } = await say(fleet.as('ann'), roomId, 'see')
    const [first = '', second = ''] = await attach(fleet, roomId, id, [{}, {}])
    const assetIds = [first, second, 'Aunknown']
    const { attachments } = await uses({ assetIds })
    expect(attachments.map(({ assetId, messageEventId }) => [assetId, messageEventId]).sort()).toEqual(
      [first, second].map((assetId) => [assetId, id]).sort(),
    )
    await fleet.as('ann').messages.deleteMessage({ roomId, eventId: id })
    expect((await uses({ assetIds })).attachments).toEqual([])
  })

  test('returns the preview images that messages show', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const [withImage, without] = [await say(fleet.as('ann'), roomId, 'a'), await say(fleet.as('ann'), roomId, 'b')]
    const [imageKey, named] = [newId('asset'), newId('asset')]
    const url = 'https://example.org/'
    await addPreview(fleet, roomId, withImage.id, { url, title: 'A page', embedId: 'x', imageKey })
    await addPreview(fleet, roomId, without.id, { url, siteName: named })
    const requested = { previewImageKeys: [imageKey, named, newId('asset')] }
    expect((await uses(requested)).previewImageKeys).toEqual([imageKey])
    await fleet.as('ann').messages.deleteLinkPreview({ roomId, eventId: withImage.id, url })
    expect((await uses(requested)).previewImageKeys).toEqual([])
  })

  test('accepts at most 500 files and 500 images per call', async () => {
    const ids = Array.from({ length: 501 }, (_, n) => `A${n}`)
    for (const requested of [{ assetIds: ids }, { previewImageKeys: ids }])
      await expect(uses(requested)).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})

test('ListThreadFollowers returns the followers of a thread in pages', async () => {
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
