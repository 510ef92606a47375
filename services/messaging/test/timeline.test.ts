import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import type { RoomTimelinePage } from '@parley/contracts/api'
import { eventually, openTestDatabase } from '@parley/testkit'
import { useFleet, type Person } from './_fleet.ts'
import type { RoomFeed } from './_room-feed.ts'

const fleet = useFleet()

const idsOf = (page: RoomTimelinePage | undefined) => (page?.events ?? []).map(({ id }) => id)

/** Replies and facts without a row take places between timeline rows. */
async function createRoomWithGaps(): Promise<{ room: RoomFeed; ann: Person; model: string[] }> {
  const room = await fleet.room().channel(['ann'])
  const ann = fleet.as('ann')
  const model = room.facts.map(({ eventId }) => eventId)
  const { roomId } = room
  const post = async (more: object = {}) => (await ann.messages.createMessage({ roomId, body: 'x', ...more })).message
  for (let n = 0; n < 3; n++) {
    const root = await post()
    const threadRootEventId = root?.id ?? ''
    await post({ threadRootEventId })
    await room.apply({ case: 'moved', value: { groupId: `G${n}` } })
    const echoed = await post({ threadRootEventId, alsoSendToChannel: true })
    await room.join(`p${n}`)
    model.push(threadRootEventId, echoed?.channelEchoEventId ?? '', room.facts.at(-1)?.eventId ?? '')
  }
  return { room, ann, model }
}

describe('pages', () => {
  test('of every size, in both directions, add up to the timeline', async () => {
    const { room, ann, model } = await createRoomWithGaps()
    const { roomId } = room
    const whole = await ann.rooms.getRoomEvents({ roomId })
    expect(idsOf(whole.page)).toEqual(model)
    expect(whole.page).toMatchObject({ hasOlder: false, hasNewer: false })

    for (let limit = 1; limit <= model.length + 1; limit++) {
      const latest = (await ann.rooms.getRoomEvents({ roomId, limit })).page
      expect(idsOf(latest)).toEqual(model.slice(-limit))
      expect(latest).toMatchObject({ hasOlder: limit < model.length, hasNewer: false })

      const backwards = idsOf(latest)
      let page = latest
      while (page?.hasOlder) {
        page = (await ann.rooms.getRoomEvents({ roomId, limit, cursor: { case: 'before', value: page.startCursor } }))
          .page
        expect(page?.hasNewer).toBe(true)
        backwards.unshift(...idsOf(page))
        expect(page?.hasOlder).toBe(backwards.length < model.length)
      }
      expect(backwards).toEqual(model)

      const forwards = idsOf(page)
      do {
        const after = { case: 'after' as const, value: page?.endCursor ?? '' }
        page = (await ann.rooms.getRoomEvents({ roomId, limit, cursor: after })).page
        expect(page?.hasOlder).toBe(true)
        forwards.push(...idsOf(page))
        expect(page?.hasNewer).toBe(forwards.length < model.length)
      } while (page?.hasNewer)
      expect(forwards).toEqual(model)
    }
  })

  test('around every row are as full as possible', async () => {
    const { room, ann, model } = await createRoomWithGaps()
    const { roomId } = room
    for (const [anchor, eventId] of model.entries()) {
      for (let limit = 1; limit <= model.length + 1; limit += 2) {
        const { page, targetIndex } = await ann.rooms.getRoomEventsAround({ roomId, eventId, limit })
        const size = Math.min(limit, model.length)
        const start = Math.max(0, Math.min(anchor - Math.floor((limit - 1) / 2), model.length - size))
        expect(idsOf(page)).toEqual(model.slice(start, start + size))
        expect(targetIndex).toBe(anchor - start)
        expect(page).toMatchObject({ hasOlder: start > 0, hasNewer: start + size < model.length })
      }
    }
  })

  test('continue from the cursors of a window around a row', async () => {
    const { room, ann, model } = await createRoomWithGaps()
    const { roomId } = room
    const { page } = await ann.rooms.getRoomEventsAround({ roomId, eventId: model[5] ?? '', limit: 3 })
    const before = { case: 'before' as const, value: page?.startCursor ?? '' }
    const after = { case: 'after' as const, value: page?.endCursor ?? '' }
    expect(idsOf((await ann.rooms.getRoomEvents({ roomId, cursor: before })).page)).toEqual(model.slice(0, 4))
    expect(idsOf((await ann.rooms.getRoomEvents({ roomId, cursor: after })).page)).toEqual(model.slice(7))
  })

  test('are the latest for an empty cursor; an empty page returns the cursor of its request', async () => {
    const { room, ann, model } = await createRoomWithGaps()
    const { roomId } = room
    const latest = (await ann.rooms.getRoomEvents({ roomId, cursor: { case: 'after', value: '' } })).page
    expect(idsOf(latest)).toEqual(model)
    const after = { case: 'after' as const, value: latest?.endCursor ?? '' }
    const { page } = await ann.rooms.getRoomEvents({ roomId, cursor: after })
    expect(page).toMatchObject({ events: [], hasOlder: true, hasNewer: false, endCursor: after.value })
    const { message } = await ann.messages.createMessage({ roomId, body: 'new' })
    const next = await ann.rooms.getRoomEvents({ roomId, cursor: { case: 'after', value: page?.endCursor ?? '' } })
    expect(idsOf(next.page)).toEqual([message?.id])
  })

  test('have 50 rows by default, and 500 at most', async () => {
    const room = await fleet.room().channel(['ann'])
    const { roomId } = room
    await using database = await openTestDatabase(fleet.database.url, { pool: 1 })
    await database.pool.query(
      `insert into room_events (room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body)
      select $1, n + 10, 'E' || n, 'message_posted', true, 'ann', now(), 'x' from generate_series(1, 600) n`,
      [roomId],
    )
    const ann = fleet.as('ann')
    const sizes = [-5, 0, 49, 500, 501, 2_147_483_647].map(async (limit) => {
      const { page } = await ann.rooms.getRoomEvents({ roomId, limit })
      const around = await ann.rooms.getRoomEventsAround({ roomId, eventId: 'E300', limit })
      return [page?.events.length, around.page?.events.length]
    })
    expect(await Promise.all(sizes)).toEqual([50, 50, 49, 500, 500, 500].map((size) => [size, size]))
  })
})

test('a retracted message keeps its place and nothing else', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  const ann = fleet.as('ann')
  const { message } = await ann.messages.createMessage({ roomId, body: 'regret' })
  const eventId = message?.id ?? ''
  await using database = await openTestDatabase(fleet.database.url, { pool: 1 })
  await database.pool.query('update room_events set deleted_at = now() where event_id = $1', [eventId])
  const { page } = await ann.rooms.getRoomEvents({ roomId })
  const last = page?.events.at(-1)?.event
  const placeholder = last?.case === 'messagePosted' ? last.value.message : undefined
  expect(placeholder).toMatchObject({ id: eventId, deletedAt: { seconds: expect.anything() }, attachments: [] })
  expect(placeholder?.body).toBeUndefined()
  await expect(ann.messages.getMessage({ roomId, eventId })).rejects.toMatchObject({ code: Code.NotFound })
  expect((await ann.messages.batchGetMessages({ roomId, eventIds: [eventId] })).messages).toEqual([])
  const around = await ann.rooms.getRoomEventsAround({ roomId, eventId })
  expect(around.targetIndex).toBe(2)
})

describe('messages by id', () => {
  test('are returned once, in the requested order; ids of anything else are left out', async () => {
    const [room, other] = await Promise.all([fleet.room().channel(['ann']), fleet.room().channel(['ann'])])
    const ann = fleet.as('ann')
    const post = async (roomId: string) => (await ann.messages.createMessage({ roomId, body: 'x' })).message?.id ?? ''
    const [a, b, elsewhere] = [await post(room.roomId), await post(room.roomId), await post(other.roomId)]
    const joined = room.facts[1]?.eventId ?? ''
    const eventIds = [b, 'Enothing', a, b, joined, elsewhere, 'a b']
    const { messages } = await ann.messages.batchGetMessages({ roomId: room.roomId, eventIds })
    expect(messages.map(({ id }) => id)).toEqual([b, a])
    for (const eventId of ['Enothing', joined, elsewhere, 'a b']) {
      await expect(ann.messages.getMessage({ roomId: room.roomId, eventId })).rejects.toMatchObject({
        code: Code.NotFound,
        rawMessage: 'message not found',
      })
    }
  })

  test.each([0, 101])('are refused if %i ids are requested', async (count) => {
    const { roomId } = await fleet.room().channel(['ann'])
    const eventIds = Array.from({ length: count }, (_, n) => `E${n}`)
    const reading = fleet.as('ann').messages.batchGetMessages({ roomId, eventIds })
    await expect(reading).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})

describe('a timeline', () => {
  const reads = (person: Person, roomId: string) => [
    person.rooms.getRoomEvents({ roomId }),
    person.rooms.getRoomEventsAround({ roomId, eventId: 'Ex' }),
    person.messages.getMessage({ roomId, eventId: 'Ex' }),
    person.messages.batchGetMessages({ roomId, eventIds: ['Ex'] }),
  ]
  const codes = async (calls: Promise<unknown>[]) =>
    (await Promise.allSettled(calls)).map((call) =>
      call.status === 'rejected' ? (call.reason as { code: Code }).code : 'ok',
    )

  test('can be read by members only, in archived rooms too', async () => {
    const room = await fleet.room().channel(['ann'])
    const { roomId } = room
    const read = ['ok', Code.NotFound, Code.NotFound, 'ok']
    const denied = Array.from({ length: 4 }, () => Code.PermissionDenied)
    expect(await codes(reads(fleet.as('ann'), roomId))).toEqual(read)
    expect(await codes(reads(fleet.as('bob'), roomId))).toEqual(denied)
    expect(await codes(reads(fleet.as('olga', ['owner']), roomId))).toEqual(denied)
    await room.archive()
    expect(await codes(reads(fleet.as('ann'), roomId))).toEqual(read)
    await room.leave('ann')
    expect(await codes(reads(fleet.as('ann'), roomId))).toEqual(denied)
    await room.setUniversal(true)
    expect(await codes(reads(fleet.as('ann'), roomId))).toEqual(read)
    await room.ban('ann')
    expect(await codes(reads(fleet.as('ann'), roomId))).toEqual(denied)
  })

  test.each(['Rnothing', 'a b', ' '])('of the unknown room %j is not found', async (roomId) => {
    expect(await codes(reads(fleet.as('ann'), roomId))).toEqual(Array.from({ length: 4 }, () => Code.NotFound))
  })

  test('can only be read around its own rows', async () => {
    const { room, ann } = await createRoomWithGaps()
    const { roomId } = room
    const root = await ann.messages.createMessage({ roomId, body: 'x' })
    const threadRootEventId = root.message?.id ?? ''
    const reply = await ann.messages.createMessage({ roomId, body: 'x', threadRootEventId })
    for (const eventId of [reply.message?.id ?? '', 'Enothing', 'a b']) {
      await expect(ann.rooms.getRoomEventsAround({ roomId, eventId })).rejects.toMatchObject({
        code: Code.NotFound,
        rawMessage: expect.stringContaining('timeline'),
      })
    }
  })

  test.each(['x', 'tl:', 'seq:1', 'tl:AQAAAAAAAAAB\0'])('cannot be read with the cursor %j', async (value) => {
    const { roomId } = await fleet.room().channel(['ann'])
    for (const kind of ['before', 'after'] as const) {
      const reading = fleet.as('ann').rooms.getRoomEvents({ roomId, cursor: { case: kind, value } })
      await expect(reading).rejects.toMatchObject({ code: Code.InvalidArgument })
    }
  })
})

describe('the users on a page', () => {
  test('are included, and fetched with one call', async () => {
    const people = Array.from({ length: 4 }, (_, n) => `someone${n}`)
    const { roomId } = await fleet.room().channel(people)
    fleet.fakes.profileCalls.length = 0
    const { page } = await fleet.as('someone0').rooms.getRoomEvents({ roomId })
    expect(page?.includes?.users.someone1).toMatchObject({ id: 'someone1', displayName: 'SOMEONE1' })
    expect(Object.keys(page?.includes?.users ?? {}).sort()).toEqual(['maker', ...people])
    expect(fleet.fakes.profileCalls).toHaveLength(1)
    await fleet.as('someone0').rooms.getRoomEvents({ roomId })
    expect(fleet.fakes.profileCalls).toHaveLength(1)
  })

  test('are fetched again after their profile has changed', async () => {
    const { roomId } = await fleet.room().channel(['changing'])
    const ann = fleet.as('changing')
    const name = async () => (await ann.rooms.getRoomEvents({ roomId })).page?.includes?.users.changing?.displayName
    expect(await name()).toBe('CHANGING')
    fleet.fakes.names.set('changing', 'Changed')
    await fleet.publishProfileChange('changing')
    await eventually(async () => expect(await name()).toBe('Changed'))
  })

  test('are left out if accounts is unavailable', async () => {
    const { roomId } = await fleet.room().channel(['lonely'])
    fleet.fakes.profilesUnavailable = true
    const { page } = await fleet.as('lonely').rooms.getRoomEvents({ roomId })
    fleet.fakes.profilesUnavailable = false
    expect(page?.events).toHaveLength(2)
    expect(page?.includes?.users.lonely).toBeUndefined()
  })
})
