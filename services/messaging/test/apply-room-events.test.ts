import { Code } from '@connectrpc/connect'
import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from '@jest/globals'
import {
  AssetProcessingFactSchema,
  RoomEventSchema,
  VideoStateSchema,
  type RoomEvent,
} from '@parley/contracts/internal'
import { encodeRealtimeEnvelope, type RealtimeKind, type RealtimeValue } from '@parley/events'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'
import { dropRoomEventVersions } from '../src/jobs/drop-room-event-versions.ts'
import { recordRoomEvents, errorWith, say } from './_conversation.ts'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'
import { attach } from './_parts.ts'

const fleet = useFleet({ processes: 2 })

const at = new Date('2026-03-01T12:00:00Z')

function joined(roomId: string, callId: string, version: bigint, userId = 'ann'): RoomEvent {
  const eventId = newId('event')
  const value = { roomId, callId, callerUserId: userId }
  return create(RoomEventSchema, {
    ...{ aggregateType: 'call', aggregateId: callId, version, eventId, kind: 'call_participant_joined' },
    ...{ occurredAt: timestampFromDate(at), actorId: userId },
    envelope: encodeRealtimeEnvelope('call_participant_joined', { id: eventId, createdAt: at, actorId: userId, value }),
    fact: { case: 'call', value: { callId, userId, source: 'user' } },
  })
}

const forgedId = newId('event')
const envelopeOf = <K extends RealtimeKind>(kind: K, value: RealtimeValue<K>) =>
  encodeRealtimeEnvelope(kind, { id: forgedId, createdAt: at, value })

function videoProcessed(assetId: string, version: bigint, video: MessageInitShape<typeof VideoStateSchema>): RoomEvent {
  return create(RoomEventSchema, {
    ...{ aggregateType: 'asset', aggregateId: assetId, version, eventId: newId('event') },
    kind: 'asset_processing_succeeded',
    fact: { case: 'assetProcessing', value: { assetId, messageEventId: 'E1', video } },
  })
}

const apply = (roomId: string, ...events: RoomEvent[]) => fleet.messaging.applyRoomEvents({ roomId, events })

describe('ApplyRoomEvents', () => {
  test('gives each event a place, and delivers it to the room', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    await using recorded = await recordRoomEvents(fleet, roomId)
    const events = [joined(roomId, 'C1', 1n), joined(roomId, 'C1', 2n, 'bob')]
    await apply(roomId, ...events)
    await say(fleet.as('ann'), roomId, 'after it')
    const published = await eventually(() => recorded.events.length === 3 && recorded.events)
    expect(published.map(({ version }) => version)).toEqual([4n, 5n, 6n])
    const [first] = published
    expect(first).toMatchObject({
      ...{ id: events[0]?.eventId, kind: 'call_participant_joined', aggregateType: 'room', aggregateId: roomId },
      ...{ version: 4n, actorId: 'ann', occurredAt: timestampFromDate(at) },
      fact: {
        case: 'roomEvent',
        value: { roomSeq: 4n, dm: false, event: { aggregateId: 'C1', version: 1n, envelope: new Uint8Array() } },
      },
    })
    expect(first && deliveriesOf(first)).toMatchObject([
      { to: roomId, id: events[0]?.eventId, actorId: 'ann', kind: 'callParticipantJoined', value: { roomId } },
    ])
  })

  test('delivers an event of a direct message to the participants', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    await using recorded = await recordRoomEvents(fleet, roomId)
    await apply(roomId, joined(roomId, 'C2', 1n))
    const [published] = await eventually(() => recorded.events.length === 1 && recorded.events)
    expect(published).toMatchObject({ fact: { value: { dm: true } } })
    expect(published && deliveriesOf(published)).toMatchObject([{ to: ['ann', 'bob'] }])
  })

  test('delivers an event without an envelope to nobody', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordRoomEvents(fleet, roomId)
    await apply(roomId, { ...joined(roomId, 'C2', 1n), envelope: new Uint8Array() })
    const [published] = await eventually(() => recorded.events.length === 1 && recorded.events)
    expect(published?.deliveries).toEqual([])
  })

  test('drops duplicates of the same call or asset, and nothing else', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const other = await fleet.room().channel(['ann'])
    await using recorded = await recordRoomEvents(fleet, roomId)
    await using elsewhere = await recordRoomEvents(fleet, other.roomId)
    const [two, three] = [joined(roomId, 'C3', 2n), joined(roomId, 'C3', 3n)]
    await apply(roomId, two)
    await apply(roomId, two, three, { ...two, version: 3n })
    await apply(roomId, two, three)
    const asset = videoProcessed('C3', 1n, { status: 'completed' })
    const another = joined(roomId, 'C4', 1n)
    await apply(roomId, asset, another)
    await apply(other.roomId, joined(other.roomId, 'C3', 1n))
    await eventually(() => elsewhere.events.length === 1)
    const published = await eventually(() => recorded.events.length >= 4 && recorded.events)
    expect(published.map(({ id }) => id)).toEqual([two, three, asset, another].map(({ eventId }) => eventId))
    expect(published.map(({ version }) => version)).toEqual([3n, 4n, 5n, 6n])
  })

  test('accepts each version once, even a lower one, but no version 1 after others', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordRoomEvents(fleet, roomId)
    const events = [30n, 40n, 20n, 31n].map((version) => joined(roomId, 'C5', version))
    for (const event of events) await apply(roomId, event, event)
    await apply(roomId, ...events, joined(roomId, 'C5', 1n))
    const after = joined(roomId, 'C6', 1n)
    await apply(roomId, after)
    const published = await eventually(() => recorded.events.length >= 5 && recorded.events)
    expect(published.map(({ id }) => id)).toEqual([...events, after].map(({ eventId }) => eventId))
  })

  test('drops duplicates if an earlier release stored only the last version', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordRoomEvents(fleet, roomId)
    const [two, three] = [joined(roomId, 'C7', 2n), joined(roomId, 'C7', 3n)]
    await apply(roomId, two)
    await fleet.pool.query("update room_event_versions set recent_versions = '{}' where room_id = $1", [roomId])
    await apply(roomId, two, three)
    const published = await eventually(() => recorded.events.length >= 2 && recorded.events)
    expect(published.map(({ id }) => id)).toEqual([two, three].map(({ eventId }) => eventId))
  })

  test('adds no timeline row, and changes neither the unread state nor the version of the room', async () => {
    const { roomId } = await fleet.room().dm(['ann', 'bob'])
    const state = async () => (await fleet.messaging.roomStates({ userId: 'bob', roomIds: [roomId] })).entries[0]
    const timeline = async () => (await fleet.as('bob').rooms.getRoomEvents({ roomId })).page?.events.length
    await say(fleet.as('ann'), roomId, 'x')
    await fleet.as('bob').rooms.markRoomAsRead({ roomId })
    const before = [await state(), await timeline()]
    await apply(roomId, joined(roomId, 'C1', 1n))
    expect([await state(), await timeline()]).toEqual(before)
    const { rows } = await fleet.pool.query('select version from room_lines where room_id = $1', [roomId])
    expect(rows).toEqual([{ version: 3n }])
  })

  test('stores the newest state of a video, but none for a file of another room', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const { id } = await say(fleet.as('ann'), roomId, 'x')
    const [clip = '', other = ''] = await attach(fleet, roomId, id, [{}, {}])
    const video = async (assetId: string) => {
      const query = 'select video from message_attachments where asset_id = $1'
      const { rows } = await fleet.pool.query<{ video: Buffer | null }>(query, [assetId])
      return rows[0]?.video ? fromBinary(VideoStateSchema, rows[0].video) : undefined
    }
    await apply(roomId, videoProcessed(clip, 1n, { status: 'processing' }))
    expect(await video(clip)).toMatchObject({ status: 'processing' })
    const done = { status: 'completed', durationMs: 1500n, variants: [{ quality: '720p', width: 1280, height: 720 }] }
    const earlier = videoProcessed(clip, 2n, { status: 'x' })
    await apply(roomId, earlier, videoProcessed(clip, 3n, done))
    await apply(roomId, earlier)
    expect(await video(clip)).toMatchObject(done)
    expect(await video(other)).toBeUndefined()
    const elsewhere = await fleet.room().channel(['ann'])
    await apply(elsewhere.roomId, videoProcessed(other, 1n, { status: 'processing' }))
    expect(await video(other)).toBeUndefined()
  })

  test('fails with not_found for an unknown room', async () => {
    const calling = apply('Rnothing', joined('Rnothing', 'C1', 1n))
    await expect(calling).rejects.toMatchObject(errorWith(Code.NotFound, 'room not found'))
  })

  test.each([
    ['an unknown aggregate type', { aggregateType: 'room' }],
    ['the version 0', { version: 0n }],
    ['an empty event id', { eventId: '' }],
    ['an unknown kind', { kind: 'a.b' }],
    ['an empty aggregate id', { aggregateId: '' }],
    ['a kind that only messaging publishes', { kind: 'message_posted' }],
    [
      'a fact of another aggregate type',
      { fact: { case: 'assetProcessing', value: create(AssetProcessingFactSchema) } as const },
    ],
    ['an envelope that cannot be decoded', { envelope: Buffer.from('not one') }],
    [
      'an envelope of another room',
      { eventId: forgedId, envelope: envelopeOf('call_participant_joined', { roomId: 'Rother', callId: 'C1' }) },
    ],
    ['an envelope of another event', { eventId: newId('event') }],
    ['an envelope of another kind', { eventId: forgedId, envelope: envelopeOf('message_posted', {}) }],
  ])('refuses all events of the request if one has %s', async (_, wrong) => {
    const { roomId } = await fleet.room().channel(['ann'])
    const calling = apply(roomId, joined(roomId, 'C1', 1n), { ...joined(roomId, 'C1', 2n), ...wrong })
    await expect(calling).rejects.toMatchObject(errorWith(Code.InvalidArgument, 'events:'))
    const { rows } = await fleet.pool.query('select from room_event_versions where room_id = $1', [roomId])
    expect(rows).toEqual([])
  })

  test('accepts at most 100 events per request', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const events = Array.from({ length: 101 }, (_, n) => joined(roomId, 'C1', BigInt(n + 1)))
    await expect(apply(roomId, ...events)).rejects.toMatchObject({ code: Code.InvalidArgument })
    await apply(roomId, ...events.slice(1))
  })

  test('gives concurrent posts and events consecutive places, and a repeated event only one', async () => {
    const writers = ['ann', 'bob', 'cyd', 'dan']
    const { roomId } = await fleet.room().channel(writers)
    await using recorded = await recordRoomEvents(fleet, roomId)
    const numbers = Array.from({ length: 25 }, (_, n) => BigInt(n + 1))
    const post = async (userId: string) => {
      for (const n of numbers) await say(fleet.as(userId), roomId, `${userId} ${n}`)
    }
    const call = async (callId: string) => {
      for (const version of numbers) {
        const event = joined(roomId, callId, version)
        // The request is repeated, as after a lost response, perhaps to another process.
        await Promise.all([apply(roomId, event), apply(roomId, event)])
      }
    }
    await Promise.all([...writers.map(post), ...['C1', 'C2', 'C3'].map(call)])
    const expected = (writers.length + 3) * numbers.length
    const published = await eventually(() => recorded.events.length >= expected && recorded.events)
    const places = published.map(({ version }) => version)
    expect(places).toEqual(Array.from({ length: expected }, (_, n) => BigInt(6 + n)))
    const callEvents = published.flatMap(({ fact }) => (fact.case === 'roomEvent' ? [fact.value.event] : []))
    for (const callId of ['C1', 'C2', 'C3']) {
      const versions = callEvents.filter((event) => event?.aggregateId === callId).map((event) => event?.version)
      expect(versions).toEqual(numbers)
    }
  })
})

test('versions of aggregates without events for three days are deleted', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  await apply(roomId, joined(roomId, 'Cold', 1n), joined(roomId, 'Cnew', 1n))
  const older = `update room_event_versions set heard_at = now() - interval '73 hours' where aggregate_id = 'Cold'`
  await fleet.pool.query(older)
  await dropRoomEventVersions(fleet.pool, new AbortController().signal)
  const remaining = 'select aggregate_id from room_event_versions where room_id = $1'
  expect((await fleet.pool.query(remaining, [roomId])).rows).toEqual([{ aggregate_id: 'Cnew' }])
})
