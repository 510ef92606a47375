import { Code, type CallOptions } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { eventually, openTestDatabase, recordEvents } from '@parley/testkit'
import { dropMessageKeys } from '../src/jobs/drop-message-keys.ts'
import { useFleet, type Person } from './_fleet.ts'

const fleet = useFleet({ processes: 2 })

type Request = Parameters<Person['messages']['createMessage']>[0]

async function send(person: Person, request: Request, key: string) {
  let replayed = false
  const options: CallOptions = {
    headers: { 'Idempotency-Key': key },
    onHeader: (headers) => (replayed = headers.get('Idempotency-Replayed') === 'true'),
  }
  const { message } = await person.messages.createMessage(request, options)
  return { message, replayed }
}

const reused = { code: Code.InvalidArgument, rawMessage: expect.stringContaining('Idempotency-Key') }

async function bodies(person: Person, roomId: string): Promise<(string | undefined)[]> {
  const { page } = await person.rooms.getRoomEvents({ roomId, limit: 500 })
  return (page?.events ?? []).flatMap(({ event }) =>
    event.case === 'messagePosted' ? [event.value.message?.body] : [],
  )
}

describe('a repeated request with the same key', () => {
  test('gets the same response', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const ann = fleet.as('ann')
    const first = await send(ann, { roomId, body: 'hello' }, 'k')
    const second = await send(ann, { roomId, body: 'hello' }, 'k')
    expect(first.replayed).toBe(false)
    expect(second).toEqual({ message: first.message, replayed: true })
    expect(await bodies(ann, roomId)).toEqual(['hello'])
  })

  test('works for echoes and for keys from the gateway', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const ann = fleet.as('ann')
    const root = await send(ann, { roomId, body: 'root' }, 'auto:1234567890123456789012')
    const request = { roomId, body: 're', threadRootEventId: root.message?.id ?? '', alsoSendToChannel: true }
    const first = await send(ann, request, 'auto:1234567890123456789013')
    const second = await send(ann, request, 'auto:1234567890123456789013')
    expect(second).toEqual({ message: first.message, replayed: true })
    expect(await bodies(ann, roomId)).toEqual(['root', 're'])
  })

  test('returns the current message: edited, or a placeholder if retracted', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const ann = fleet.as('ann')
    const request = { roomId, body: 'hello' }
    const { message: { id: eventId = '' } = {} } = await send(ann, request, 'changing')
    await ann.messages.updateMessage({ roomId, eventId, body: 'goodbye' })
    expect(await send(ann, request, 'changing')).toMatchObject({
      ...{ replayed: true, message: { id: eventId, body: 'goodbye', updatedAt: expect.anything() } },
    })
    await ann.messages.deleteMessage({ roomId, eventId })
    const { message, replayed } = await send(ann, request, 'changing')
    expect([message?.id, message?.body, replayed]).toEqual([eventId, undefined, true])
    expect(message?.deletedAt).toBeDefined()
  })

  test('succeeds even if the caller could no longer post', async () => {
    const room = await fleet.room().channel(['ann'])
    const request = { roomId: room.roomId, body: 'hello' }
    const ann = fleet.as('ann')
    const { message } = await send(ann, request, 'before')
    await room.archive()
    expect(await send(ann, request, 'before')).toEqual({ message, replayed: true })
    await room.leave('ann')
    expect(await send(ann, request, 'before')).toEqual({ message, replayed: true })
    await expect(send(ann, request, 'after')).rejects.toMatchObject({ code: Code.PermissionDenied })
  })

  test('posts once when many arrive at once at different processes', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const ann = fleet.as('ann')
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
    for (const key of ['r1', 'r2', 'r3', 'r4', 'r5']) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => send(ann, { roomId, body: key }, key)))
      expect(new Set(answers.map(({ message }) => message?.id)).size).toBe(1)
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    }
    expect(await bodies(ann, roomId)).toEqual(['r1', 'r2', 'r3', 'r4', 'r5'])
    const { message } = await send(ann, { roomId, body: 'next' }, 'next')
    await eventually(() => recorded.events.some(({ id }) => id === message?.id))
    expect(recorded.events).toHaveLength(6)
  })
})

describe('a different request with a used key', () => {
  test('is refused', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const ann = fleet.as('ann')
    await send(ann, { roomId, body: 'hello' }, 'other')
    await expect(send(ann, { roomId, body: 'hallo' }, 'other')).rejects.toMatchObject(reused)
    expect(await bodies(ann, roomId)).toEqual(['hello'])
  })

  test('is refused for another room, whether or not the caller is a member', async () => {
    const [here, there, closed] = await Promise.all([
      fleet.room().channel(['ann']),
      fleet.room().channel(['ann']),
      fleet.room().channel(['bob']),
    ])
    const ann = fleet.as('ann')
    await send(ann, { roomId: here.roomId, body: 'hello' }, 'rooms')
    await expect(send(ann, { roomId: there.roomId, body: 'hello' }, 'rooms')).rejects.toMatchObject(reused)
    await expect(send(ann, { roomId: closed.roomId, body: 'hello' }, 'rooms')).rejects.toMatchObject(reused)
    expect(await bodies(ann, there.roomId)).toEqual([])
  })

  test('is refused even if both arrive at the same time', async () => {
    const rooms = await Promise.all(Array.from({ length: 8 }, () => fleet.room().channel(['ann'])))
    const ann = fleet.as('ann')
    const answers = await Promise.allSettled(rooms.map(({ roomId }) => send(ann, { roomId, body: 'x' }, 'race')))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject(reused)
    }
    const posted = await Promise.all(rooms.map(({ roomId }) => bodies(ann, roomId)))
    expect(posted.flat()).toEqual(['x'])
  })

  test('is accepted from another caller', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    await send(fleet.as('ann'), { roomId, body: 'hello' }, 'shared')
    expect(await send(fleet.as('bob'), { roomId, body: 'hello' }, 'shared')).toMatchObject({ replayed: false })
    expect(await bodies(fleet.as('ann'), roomId)).toEqual(['hello', 'hello'])
  })
})

test('a refused post does not use up its key', async () => {
  const room = await fleet.room().channel(['bob'])
  const request = { roomId: room.roomId, body: 'hello' }
  const ann = fleet.as('ann')
  await expect(send(ann, request, 'free')).rejects.toMatchObject({ code: Code.PermissionDenied })
  await room.join('ann')
  expect(await send(ann, request, 'free')).toMatchObject({ replayed: false, message: { body: 'hello' } })
})

test('a key expires after 24 hours and is then deleted', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  const ann = fleet.as('ann')
  await using database = await openTestDatabase(fleet.database.url, { pool: 1 })
  const age = (hours: number) =>
    database.pool.query(
      `update message_keys set created_at = now() - interval '${hours} hours' where caller_id = 'ann'`,
    )
  const { signal } = new AbortController()
  await send(ann, { roomId, body: 'one' }, 'old')
  await age(23)
  await dropMessageKeys(database.db, signal)
  expect(await send(ann, { roomId, body: 'one' }, 'old')).toMatchObject({ replayed: true })
  await age(25)
  expect(await send(ann, { roomId, body: 'two' }, 'old')).toMatchObject({ replayed: false })
  await age(25)
  await dropMessageKeys(database.db, signal)
  const { rows } = await database.pool.query(`select from message_keys where caller_id = 'ann'`)
  expect(rows).toHaveLength(0)
})
