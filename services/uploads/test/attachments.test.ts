import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eq, inArray } from 'drizzle-orm'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { eventually, recordEvents, requestErasure, type Recording } from '@parley/testkit'
import { assets, idempotentCalls, uploads } from '../src/store/schema.ts'
import { openEnv, type Env } from './_env.ts'
import { claimRequest, sendChunks, sendFile } from './_send-files.ts'

let env: Env
let recording: Recording
let clock = 0
const advanceHours = (count: number) => (clock += count * 3_600_000)

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
const sendClaimed = async (userId = 'Ualice') => {
  const { id } = await sendFile(env, Buffer.from('a file'), { userId })
  const eventId = `Eposted${last++}`
  await env.internal.claimAssets(claimRequest([id], { eventId, userId }))
  return { id, eventId }
}
const publishMessage = (id: string, eventId: string, actorId = 'Ualice') =>
  env.publish('Rtea', {
    ...{ id: eventId, kind: 'message_posted', actorId },
    fact: { case: 'messagePosted', value: { attachmentAssetIds: [id] } },
  })
const isStored = async (id: string) => (await env.storedKeys()).includes(`files/${id}`)
const waitUntilPosted = (id: string) =>
  eventually(async () => {
    const found = await env.db.select({ isPosted: assets.posted }).from(assets).where(eq(assets.id, id))
    expect(found).toEqual([{ isPosted: true }])
  })
const kindsOf = (id: string) => [...new Set(recording.events.filter((e) => e.aggregateId === id).map((e) => e.kind))]

test('a file of a posted message stays; an unused one is deleted after 24 hours and its sender is notified', async () => {
  const kept = await sendClaimed()
  await publishMessage(kept.id, kept.eventId)
  await waitUntilPosted(kept.id)
  const claimed = await sendClaimed()
  const unused = await sendFile(env, Buffer.from('unused'))
  await eventually(() => expect(kindsOf(unused.id)).toEqual(['asset_created']))
  advanceHours(24)
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

test('a file without a known message stays while messaging is unavailable, and if messaging reports its message', async () => {
  const unanswered = await sendClaimed()
  env.messaging.attached.set(unanswered.id, unanswered.eventId)
  const unused = await sendFile(env, Buffer.from('unused'))
  env.messaging.unavailable = true
  const calls = env.messaging.findFileUsesCalls
  advanceHours(25)
  await eventually(() => env.messaging.findFileUsesCalls > calls + 1)
  expect([await isStored(unanswered.id), await isStored(unused.id)]).toEqual([true, true])
  env.messaging.unavailable = false
  await eventually(async () => !(await isStored(unused.id)))
  await waitUntilPosted(unanswered.id)
  expect(await isStored(unanswered.id)).toBe(true)
})

test('files that an edit or a retraction removes are deleted, regardless of the order of events', async () => {
  const edited = await sendClaimed()
  const retracted = await sendClaimed()
  await publishMessage(edited.id, edited.eventId)
  await env.publish('Rtea', {
    kind: 'message_edited',
    fact: { case: 'messageEdited', value: { messageEventId: edited.eventId, removedAssetIds: [edited.id] } },
  })
  await env.publish('Rtea', {
    kind: 'message_retracted',
    fact: { case: 'messageRetracted', value: { messageEventId: retracted.eventId, removedAssetIds: [retracted.id] } },
  })
  await publishMessage(retracted.id, retracted.eventId)
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

test('all data of a deleted person is removed: files, upload sessions, chunks and idempotency keys', async () => {
  const bobs = await sendClaimed('Ubob')
  await publishMessage(bobs.id, bobs.eventId, 'Ubob')
  await waitUntilPosted(bobs.id)
  const uploadId = await sendChunks(env, Buffer.from('a file in one chunk'), { userId: 'Ubob' })
  await env.db.insert(idempotentCalls).values({
    ...{ callerId: 'Ubob', method: 'M', key: 'K' },
    ...{ requestDigest: Buffer.alloc(1), response: Buffer.alloc(1) },
  })
  const alices = await sendClaimed()
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
