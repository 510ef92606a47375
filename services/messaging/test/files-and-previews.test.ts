import { createHash } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { PagePreviewSchema } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { eventually, recordEvents } from '@parley/testkit'
import { useFleet, type Person } from './_fleet.ts'

const fleet = useFleet({ processes: 2, now: () => now })
/** The clock stands still, because URLs of files contain their expiry and are compared. */
const now = new Date()

type Request = Parameters<Person['messages']['createMessage']>[0]

const post = (userId: string, request: Request, key?: string) =>
  fleet.as(userId).messages.createMessage(request, key === undefined ? {} : { headers: { 'Idempotency-Key': key } })

const invalid = (text: string) => ({ code: Code.InvalidArgument, rawMessage: expect.stringContaining(text) })

async function countMessages(roomId: string): Promise<number> {
  const { page } = await fleet.as('ann').rooms.getRoomEvents({ roomId, limit: 500 })
  return (page?.events ?? []).filter(({ event }) => event.case === 'messagePosted').length
}

describe('files', () => {
  const upload = (userId: string, roomId: string) => {
    const id = newId('asset')
    fleet.fakes.assets.set(id, { userId, roomId })
    return id
  }
  const stored = async (eventId = '') =>
    (
      await fleet.pool.query<Record<string, unknown>>(
        `select asset_id, position, filename, content_type, size, width, height from message_attachments a
        join room_events e using (room_id, seq) where e.event_id = $1 order by position`,
        [eventId],
      )
    ).rows

  test('are attached in order, even without a text', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted`)
    const attachmentAssetIds = Array.from({ length: 10 }, () => upload('ann', roomId))
    const { message } = await post('ann', { roomId, attachmentAssetIds })
    const file = { content_type: 'image/png', size: 12n, width: 3, height: 4 }
    expect(await stored(message?.id)).toEqual(
      attachmentAssetIds.map((id, position) => ({ ...file, asset_id: id, position, filename: `${id}.png` })),
    )
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event?.fact).toMatchObject({ value: { attachmentAssetIds } })
    expect(fleet.fakes.assets.get(attachmentAssetIds[0] ?? '')?.eventId).toBe(message?.id)
  })

  test('are attached to a reply, not to its echo; the subject of events without files ends with `.text`', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using files = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted`)
    await using texts = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
    const threadRootEventId = (await post('ann', { roomId, body: 'root' })).message?.id ?? ''
    const attachmentAssetIds = [upload('ann', roomId)]
    const reply = { roomId, threadRootEventId, attachmentAssetIds, alsoSendToChannel: true }
    const { message } = await post('ann', reply)
    expect(await stored(message?.id)).toHaveLength(1)
    expect(await stored(message?.channelEchoEventId)).toEqual([])
    await eventually(() => texts.events.length >= 2)
    const [withFiles, withTexts] = [files, texts].map(({ events }) => [...new Set(events.map(({ id }) => id))])
    expect([withFiles, withTexts]).toEqual([[message?.id], [threadRootEventId, message?.channelEchoEventId]])
  })

  test('that cannot be attached are named in the error, and nothing is posted', async () => {
    const [{ roomId }, other] = await Promise.all([fleet.room().channel(['ann', 'bob']), fleet.room().channel(['ann'])])
    const [mine, used] = [upload('ann', roomId), upload('ann', roomId)]
    await post('ann', { roomId, attachmentAssetIds: [used] })
    for (const bad of ['Anothing', 'a b', upload('bob', roomId), upload('ann', other.roomId), used]) {
      const posting = post('ann', { roomId, body: 'x', attachmentAssetIds: [mine, bad] })
      await expect(posting).rejects.toMatchObject(invalid(bad))
    }
    const twice = post('ann', { roomId, attachmentAssetIds: [mine, mine] })
    await expect(twice).rejects.toMatchObject(invalid(`${mine} is given twice`))
    expect(await countMessages(roomId)).toBe(1)
  })

  test('are posted once if the request is repeated with its key', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const request = { roomId, attachmentAssetIds: [upload('ann', roomId), upload('ann', roomId)] }
    const answers = await Promise.all(Array.from({ length: 12 }, () => post('ann', request, 'files')))
    expect(new Set(answers.map(({ message }) => message?.id)).size).toBe(1)
    expect((await post('ann', request, 'files')).message).toEqual(answers[0]?.message)
    expect(await countMessages(roomId)).toBe(1)
    await expect(post('ann', request, 'other key')).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  test('are attached to only one of several concurrent messages', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const attachmentAssetIds = [upload('ann', roomId)]
    const racers = Array.from({ length: 8 }, (_, n) => post('ann', { roomId, body: `${n}`, attachmentAssetIds }))
    const settled = await Promise.allSettled(racers)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of settled) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: Code.InvalidArgument })
    }
  })

  test('can be posted again after a failure, by only one of several concurrent requests', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    for (let round = 0; round < 5; round++) {
      const attachmentAssetIds = [upload('ann', roomId)]
      await fleet.pool.query('alter table outbox rename to outbox_missing')
      try {
        await expect(post('ann', { roomId, body: 'lost', attachmentAssetIds }, `lost ${round}`)).rejects.toThrow()
      } finally {
        await fleet.pool.query('alter table outbox_missing rename to outbox')
      }
      const racers = Array.from({ length: 6 }, (_, n) =>
        post('ann', { roomId, body: `${round} ${n}`, attachmentAssetIds }, `race ${round} ${n}`),
      )
      const outcomes = await Promise.allSettled(racers)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const one of outcomes) {
        if (one.status === 'rejected') expect(one.reason).toMatchObject(invalid(attachmentAssetIds[0] ?? ''))
      }
    }
    expect(await countMessages(roomId)).toBe(5)
  })

  test('are attached to only one message, even if several have claimed them', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    for (let round = 0; round < 5; round++) {
      const ids = Array.from({ length: 6 }, () => upload('ann', roomId))
      const shared = upload('ann', roomId)
      fleet.fakes.reclaimable.add(shared)
      const racers = ids.map((id) => post('ann', { roomId, attachmentAssetIds: [id, shared] }))
      const outcomes = await Promise.allSettled(racers)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const one of outcomes) {
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: Code.InvalidArgument })
      }
    }
    expect(await countMessages(roomId)).toBe(5)
  })

  test('are not claimed without permission to post', async () => {
    const room = await fleet.room().channel(['ann'])
    const id = upload('bob', room.roomId)
    const posting = post('bob', { roomId: room.roomId, attachmentAssetIds: [id] })
    await expect(posting).rejects.toMatchObject({ code: Code.PermissionDenied })
    expect(fleet.fakes.assets.get(id)?.eventId).toBeUndefined()
  })
})

describe('a link preview', () => {
  const issueToken = async (userId: string, minutes = 30) => {
    const token = `prl_LP${newId('asset')}`
    const preview = create(PagePreviewSchema, { url: 'https://example.org/', title: 'Example', imageKey: 'K1' })
    const bytes = Buffer.from(toBinary(PagePreviewSchema, preview))
    await fleet.pool.query(
      `insert into link_preview_tokens values ($1, $2, $3, now() + make_interval(mins => $4::integer))`,
      [createHash('sha256').update(token).digest(), userId, bytes, minutes],
    )
    return { token, bytes }
  }

  test('is stored with each message that uses its token', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted`)
    const { token, bytes } = await issueToken('ann')
    for (const body of ['one', 'two']) await post('ann', { roomId, body, linkPreviewToken: token })
    const { rows } = await fleet.pool.query(
      'select body, link_preview from room_events where body is not null and room_id = $1 order by seq',
      [roomId],
    )
    expect(rows).toEqual([
      { body: 'one', link_preview: bytes },
      { body: 'two', link_preview: bytes },
    ])
    const [event] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(event?.fact).toMatchObject({ value: { linkPreviewImageKey: 'K1' } })
  })

  test('is refused if the token is unknown, expired or another user’s', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    for (const linkPreviewToken of ['prl_LPx', (await issueToken('bob')).token, (await issueToken('ann', -1)).token]) {
      const posting = post('ann', { roomId, body: 'x', linkPreviewToken })
      await expect(posting).rejects.toMatchObject(invalid('link_preview_token'))
    }
    expect(await countMessages(roomId)).toBe(0)
  })

  test('needs no valid token in a repeated request', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const { token } = await issueToken('ann')
    const request = { roomId, body: 'x', linkPreviewToken: token }
    const { message } = await post('ann', request, 'preview')
    await fleet.pool.query('delete from link_preview_tokens')
    expect((await post('ann', request, 'preview')).message).toEqual(message)
  })
})
