import { expect, test } from '@jest/globals'
import { RoomKind } from '@parley/contracts/api'
import { toPostedEntry } from './posted-event.ts'
import { roomSeqPlaceholder, findHoles } from '../domain/entry-holes.ts'

test('the payload of an entry has holes for its version and its room_seq', () => {
  const room = { roomId: 'R1', version: 1n, groupId: '', universal: false, archived: false, name: '' }
  const dm = { ...room, kind: RoomKind.DM, participantIds: ['ann', 'bob'] }
  const posted = { eventId: 'E1', actorId: 'ann', inReplyTo: 'E2', threadRootEventId: '', echoOfEventId: 'E3' }
  for (const time of [0, 128, 16_384, 2 ** 31 * 1000, 34_359_738_367_000, 1_795_205_496_867]) {
    const options = { markedAsRead: true }
    const { payload, holes } = toPostedEntry(dm, { ...posted, createdAt: new Date(time) }, options)
    const [version = 0, roomSeq = 0] = holes
    // Holes are counted from 1, and the byte before one is the tag of its field: 5 is the version, 1 is room_seq.
    expect(payload[version - 2]).toBe((5 << 3) | 0)
    expect(payload[roomSeq - 2]).toBe((1 << 3) | 0)
    const between = payload.subarray(version - 1 + roomSeqPlaceholder.bytes, roomSeq - 1)
    // The placeholder between the holes would be taken for a third one.
    expect(between.includes(Buffer.from('808080808001', 'hex'))).toBe(false)
  }
})

test('a payload with one hole instead of two is rejected', () => {
  expect(() => findHoles(Buffer.from('28808080808001', 'hex'), roomSeqPlaceholder, 2)).toThrow('1 holes instead of 2')
})
