import { expect, test } from '@jest/globals'
import { pageFor, rowFor } from './_messages.ts'
import { expectedHeights } from './heights.ts'
import { linesOf } from './lines.ts'
import { windowOf } from './timeline-window.ts'

const me = { userId: 'U1', readUntil: undefined }
const heightsOf = (rows: Parameters<typeof rowFor>[1][], columns = 80) => {
  const window = windowOf(pageFor(rows.map((row, at) => rowFor(`E${at}`, row))))
  return expectedHeights(linesOf(window, [], me), columns)[0]
}

// The first height is that of the day separator. web-reading.long.test.ts compares the heights with those in a browser.
test('the first message of a person is higher than those that follow', () =>
  expect(heightsOf([{ body: 'one' }, { body: 'two' }])).toEqual([34, 53.5, 26.5]))

test('a message is higher with a long line or several lines', () => {
  expect(heightsOf([{ body: 'x'.repeat(81) }])).toEqual([34, 76])
  expect(heightsOf([{ body: 'x'.repeat(81) }], 40)).toEqual([34, 98.5])
  expect(heightsOf([{ body: 'one\n\ntwo' }])).toEqual([34, 84])
})

test('a deleted message has one line, however long it was', () => {
  const deletedAt = { $typeName: 'google.protobuf.Timestamp' as const, seconds: 1n, nanos: 0 }
  expect(heightsOf([{ body: 'x'.repeat(500), deletedAt }])).toEqual([34, 53.5])
})

test('a thread adds a line only if it has replies', () => {
  const thread = (replyCount: number) => ({
    $typeName: 'svc.api.v1.ThreadSummary' as const,
    ...{ threadRootEventId: 'E0', replyCount, participantPreviewUserIds: [], participantCount: 0 },
  })
  expect(heightsOf([{ body: 'one', thread: thread(0) }])).toEqual([34, 53.5])
  expect(heightsOf([{ body: 'one', thread: thread(1) }])).toEqual([34, 74.5])
})
