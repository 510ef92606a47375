import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { eventually, recordEvents } from '@parley/testkit'
import { useFleet } from './_fleet.ts'
import type { RoomFeed } from './_room-feed.ts'

const fleet = useFleet({ processes: 2 })

const allIds = async (reader: string, room: RoomFeed) => {
  const ids: string[] = []
  let after = 'tl:AQAAAAAAAAAA'
  for (;;) {
    const request = { roomId: room.roomId, limit: 500, cursor: { case: 'after' as const, value: after } }
    const { page } = await fleet.as(reader).rooms.getRoomEvents(request)
    ids.push(...(page?.events ?? []).map(({ id }) => id))
    if (!page?.hasNewer) return ids
    after = page.endCursor
  }
}

test('posts of 64 writers at two processes have one order, and are readable when announced', async () => {
  const writers = Array.from({ length: 64 }, (_, n) => `w${n}`)
  const room = await fleet.room().channel(writers)
  const { roomId } = room
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.>`)
  const unreadable: string[] = []
  let isReading = true
  const readMessages = async () => {
    for (let next = 0; isReading || next < recorded.events.length;) {
      const received = recorded.events.slice(next, next + 100)
      next += received.length
      const eventIds = received.filter(({ kind }) => kind === 'message_posted').map(({ id }) => id)
      if (eventIds.length > 0) {
        const { messages } = await fleet.as('w0').messages.batchGetMessages({ roomId, eventIds })
        const found = new Set(messages.map(({ id }) => id))
        unreadable.push(...eventIds.filter((id) => !found.has(id)))
      }
      await new Promise(setImmediate)
    }
  }

  const posted: string[] = []
  const write = async (userId: string) => {
    for (let n = 0; n < 15; n++) {
      const body = `${userId} ${n}`
      // After a lock timeout, clients repeat the request.
      const options = { headers: { 'Idempotency-Key': body } }
      const { message } = await eventually(() => fleet.as(userId).messages.createMessage({ roomId, body }, options))
      posted.push(message?.id ?? '')
    }
  }
  const joinLate = async () => {
    for (let n = 0; n < 20; n++) await room.retryUntilApplied(room.join(`late${n}`))
  }
  const expected = writers.length * 15 + 20
  // The stream may repeat events from before the recording.
  const published = () =>
    [...new Map(recorded.events.map((event) => [event.id, event])).values()].filter(({ version }) => version > 65n)
  const reading = readMessages()
  try {
    await Promise.all([...writers.map(write), joinLate()])
    await eventually(() => published().length >= expected)
  } finally {
    isReading = false
    await reading
  }

  expect(unreadable).toEqual([])
  const versions = published().map(({ version }) => version)
  expect(versions).toEqual([...versions].sort((a, b) => (a < b ? -1 : 1)))
  expect(new Set(versions).size).toBe(expected)
  expect(versions.at(-1)).toBe(BigInt(65 + expected))
  const received = published().map(({ id }) => id)
  expect((await allIds('w0', room)).slice(65)).toEqual(received)
  expect(new Set(posted)).toEqual(new Set(received.filter((id) => posted.includes(id))))
  const { page } = await fleet.as('w0').rooms.getRoomEvents({ roomId, limit: 500 })
  const mine = (page?.events ?? []).flatMap(({ event }) =>
    event.case === 'messagePosted' && event.value.message?.actorId === 'w7' ? [event.value.message.body] : [],
  )
  expect(mine).toEqual([...mine].sort((a, b) => Number(a?.split(' ')[1]) - Number(b?.split(' ')[1])))
})

test.each(['leave', 'ban', 'archive'] as const)(
  'no post that begins after the response to %s is accepted',
  async (way) => {
    const room = await fleet.room().channel(['ann', 'bob'])
    const { roomId } = room
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.>`)
    let answered = false
    let isRunning = true
    const acceptedLate: string[] = []
    const write = async () => {
      while (isRunning) {
        const startedLate = answered
        try {
          const { message } = await fleet.as('bob').messages.createMessage({ roomId, body: 'x' })
          if (startedLate) acceptedLate.push(message?.id ?? '')
        } catch (error) {
          const { code } = ConnectError.from(error)
          // Overload may refuse any post.
          if (startedLate && code !== Code.Unavailable) return code
        }
      }
    }
    const writers = Array.from({ length: 16 }, write)
    try {
      await eventually(() => recorded.events.length > 30)
      if (way === 'archive') await room.archive()
      else if (way === 'leave') await room.leave('bob')
      else await room.ban('bob')
      answered = true
      const expected = way === 'archive' ? Code.FailedPrecondition : Code.PermissionDenied
      expect(await Promise.all(writers)).toEqual(writers.map(() => expected))
    } finally {
      isRunning = false
      await Promise.all(writers)
    }
    expect(acceptedLate).toEqual([])
    await fleet.untilRelayed(roomId)
    const fact = room.facts.at(-1)?.eventId
    const last = await eventually(() => {
      const index = recorded.events.findIndex(({ id }) => id === fact)
      return index >= 0 && recorded.events.slice(index)
    })
    expect(last.map(({ id }) => id)).toEqual([fact])
    expect((await allIds('ann', room).catch(() => [])).at(-1)).toBe(fact)
  },
)

test('posts are written during a flood of facts about the room', async () => {
  const room = await fleet.room().channel(['ann'])
  let isFlooding = true
  const flood = (async () => {
    for (let n = 0; isFlooding; n++) await room.retryUntilApplied(room.join(`joiner${n}`))
  })()
  try {
    for (let n = 0; n < 25; n++) {
      await fleet.as('ann').messages.createMessage({ roomId: room.roomId, body: `${n}` })
    }
  } finally {
    isFlooding = false
    await flood
  }
})

test('a stale cached header neither refuses an allowed post nor admits a forbidden one', async () => {
  const room = await fleet.room().channel(['ann', 'bob'])
  const { roomId } = room
  const post = () => fleet.as('bob').messages.createMessage({ roomId, body: 'x' })
  // Both processes cache the header; one applies the change.
  const warm = () => Promise.all(Array.from({ length: 12 }, post))
  await warm()
  for (let n = 0; n < 4; n++) {
    await room.archive()
    await expect(Promise.any(Array.from({ length: 12 }, post))).rejects.toThrow()
    await room.unarchive()
    await warm()
    await room.ban('bob')
    await expect(Promise.any(Array.from({ length: 12 }, post))).rejects.toThrow()
    await room.unban('bob')
    await room.join('bob')
    await warm()
  }
})
