import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eq, inArray } from 'drizzle-orm'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { eventually, recordEvents, requestErasure, type Recording } from '@parley/testkit'
import { assets, idempotentCalls, uploads } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import { claiming, sendChunks, sendFile } from './_sending.ts'

let env: Env
let recording: Recording
let clock = 0
const hours = (count: number) => (clock += count * 3_600_000)

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  recording = await recordEvents(env.bus, 'evt.asset.>')
  await env.start({}, { now: () => new Date(Date.now() + clock), sweepEveryMs: 100 })
})
beforeEach(() => {
  clock = 0
})
afterAll(async () => {
  await recording[Symbol.asyncDispose]()
  await env[Symbol.asyncDispose]()
})

let last = 0
const posted = async (userId = 'Ualice') => {
  const { id } = await sendFile(env, Buffer.from('a file'), { userId })
  const eventId = `Eposted${last++}`
  await env.internal.claimAssets(claiming([id], { eventId, userId }))
  return { id, eventId }
}
const publishPosted = (id: string, eventId: string, actorId = 'Ualice') =>
  env.publish('Rtea', {
    ...{ id: eventId, kind: 'message_posted', actorId },
    fact: { case: 'messagePosted', value: { attachmentAssetIds: [id] } },
  })
const isStored = async (id: string) => (await env.storedKeys()).includes(`files/${id}`)
const isPosted = (id: string) =>
  eventually(async () => {
    const found = await env.db.select({ isPosted: assets.posted }).from(assets).where(eq(assets.id, id))
    expect(found).toEqual([{ isPosted: true }])
  })
const kindsOf = (id: string) => [...new Set(recording.events.filter((e) => e.aggregateId === id).map((e) => e.kind))]

test('a file of a posted message stays; an unused one is deleted after 24 hours and its sender is notified', async () => {
  const kept = await posted()
  await publishPosted(kept.id, kept.eventId)
  await isPosted(kept.id)
  const claimed = await posted()
  const unused = await sendFile(env, Buffer.from('unused'))
  await eventually(() => expect(kindsOf(unused.id)).toEqual(['asset_created']))
  hours(24)
  await eventually(async () => {
    expect(await isStored(unused.id)).toBe(false)
    expect(await isStored(claimed.id)).toBe(false)
    expect(kindsOf(unused.id)).toEqual(['asset_created', 'asset_deleted'])
  })
  expect(await isStored(kept.id)).toBe(true)
  const deleted = recording.events.find((e) => e.aggregateId === unused.id && e.kind === 'asset_deleted')
  const [delivery] = deleted?.deliveries ?? []
  expect(delivery?.audience).toMatchObject({ case: 'users', value: { userIds: ['Ualice'] } })
  const { event } = fromBinary(RealtimeEventEnvelopeSchema, delivery?.envelope ?? new Uint8Array())
  expect(event).toMatchObject({ case: 'assetDeleted', value: { roomId: 'Rtea', assetId: unused.id } })
  expect(deleted?.actorId).toBe('')
})

test('a file stays if its message was posted but the event is missing, and while messaging does not answer', async () => {
  const unanswered = await posted()
  env.messaging.attached.set(unanswered.id, unanswered.eventId)
  const unused = await sendFile(env, Buffer.from('unused'))
  env.messaging.away = true
  const requested = env.messaging.requested
  hours(25)
  await eventually(() => env.messaging.requested > requested + 1)
  expect([await isStored(unanswered.id), await isStored(unused.id)]).toEqual([true, true])
  env.messaging.away = false
  await eventually(async () => !(await isStored(unused.id)))
  await isPosted(unanswered.id)
  expect(await isStored(unanswered.id)).toBe(true)
})

test('files of edited and retracted messages are deleted, regardless of the order of events', async () => {
  const edited = await posted()
  const retracted = await posted()
  await publishPosted(edited.id, edited.eventId)
  await env.publish('Rtea', {
    kind: 'message_edited',
    fact: { case: 'messageEdited', value: { messageEventId: edited.eventId, removedAssetIds: [edited.id] } },
  })
  await env.publish('Rtea', {
    kind: 'message_retracted',
    fact: { case: 'messageRetracted', value: { messageEventId: retracted.eventId, removedAssetIds: [retracted.id] } },
  })
  await publishPosted(retracted.id, retracted.eventId)
  await eventually(async () => {
    expect(await isStored(edited.id)).toBe(false)
    expect(await isStored(retracted.id)).toBe(false)
    expect(
      await env.db
        .select()
        .from(assets)
        .where(inArray(assets.id, [edited.id, retracted.id])),
    ).toEqual([])
  })
})

test('all data of a deleted person is removed: files, sessions, chunks and keys', async () => {
  const bobs = await posted('Ubob')
  await publishPosted(bobs.id, bobs.eventId, 'Ubob')
  await isPosted(bobs.id)
  const uploadId = await sendChunks(env, Buffer.from('half of it'), { userId: 'Ubob' })
  await env.db.insert(idempotentCalls).values({
    ...{ callerId: 'Ubob', method: 'M', key: 'K' },
    ...{ requestDigest: Buffer.alloc(1), response: Buffer.alloc(1) },
  })
  const alices = await posted()
  await requestErasure(env.bus, 'Ubob')
  await eventually(async () => {
    const keys = await env.storedKeys()
    expect(keys.filter((key) => key.includes(bobs.id) || key.includes(uploadId))).toEqual([])
    expect(await env.db.select().from(assets).where(eq(assets.ownerId, 'Ubob'))).toEqual([])
    expect(await env.db.select().from(uploads).where(eq(uploads.ownerId, 'Ubob'))).toEqual([])
    expect(await env.db.select().from(idempotentCalls).where(eq(idempotentCalls.callerId, 'Ubob'))).toEqual([])
  })
  expect(await isStored(alices.id)).toBe(true)
})
