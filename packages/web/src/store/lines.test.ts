import { expect, test } from '@jest/globals'
import type { RoomTimelineEvent } from '@parley/client/contract'
import { pageFor, rowFor } from './_messages.ts'
import { linesOf } from './lines.ts'
import { windowOf } from './timeline-window.ts'
import type { Unsent } from './unsent.ts'

const shown = (...args: Parameters<typeof linesOf>) =>
  linesOf(...args).map((line) => {
    if (line.kind === 'row') return line.row.id + (line.continues ? '+' : '')
    return line.kind === 'unsent' ? `unsent ${line.unsent.body}` : line.kind
  })
const me = { userId: 'U1', readUntil: undefined }
const day = 24 * 60

test('messages of one person within five minutes share one heading, but a reply has its own', () => {
  const rows = [rowFor('a'), rowFor('b', { at: 4 }), rowFor('c', { at: 10 }), rowFor('d', { at: 11, by: 'U2' })]
  const reply = rowFor('e', { at: 12, by: 'U2', inReplyTo: 'a' })
  expect(shown(windowOf(pageFor([...rows, reply])), [], me)).toEqual(['day', 'a', 'b+', 'c', 'd', 'e'])
})

test('each day begins with a separator', () => {
  const rows = [rowFor('a', { at: day }), rowFor('b', { at: 3 * day })]
  expect(shown(windowOf(pageFor(rows)), [], me)).toEqual(['day', 'a', 'day', 'b'])
})

test('"New messages" precedes the first message of somebody else after the read marker', () => {
  const rows = [
    rowFor('a', { by: 'U2' }),
    rowFor('mine', { at: 2 }),
    rowFor('b', { at: 3, by: 'U2' }),
    rowFor('c', { at: 4, by: 'U2' }),
  ]
  const window = windowOf(pageFor(rows))
  expect(shown(window, [], { ...me, readUntil: 60_000 })).toEqual(['day', 'a', 'mine', 'new', 'b', 'c+'])
  expect(shown(window, [], { ...me, readUntil: 4 * 60_000 })).toEqual(['day', 'a', 'mine', 'b', 'c+'])
  expect(shown(window, [], { ...me, readUntil: 0 })[1]).toBe('a')
})

test('the number of replies follows the root of a thread', () => {
  expect(shown(windowOf(pageFor([rowFor('a'), rowFor('b')])), [], { ...me, rootId: 'a' })).toEqual([
    'day',
    'a',
    'replies',
    'b',
  ])
})

test('an unsent message is shown below the newest row, and not at all once its row is loaded', () => {
  const unsent: Unsent = {
    ...{ key: 'K1', userId: 'U1', roomId: 'R1', threadRootEventId: '', inReplyTo: '', alsoSendToChannel: false },
    ...{ attachmentAssetIds: [], filenames: [], linkPreviewToken: '' },
    ...{ body: 'soon', writtenAt: 60_000, state: 'waiting' },
  }
  expect(shown(windowOf(pageFor([rowFor('a')])), [unsent], me)).toEqual(['day', 'a', 'unsent soon'])
  expect(shown(windowOf(pageFor([rowFor('a')], { hasNewer: true })), [unsent], me)).toEqual(['day', 'a'])
  // The response to posting may arrive after the row was loaded.
  const posted = { ...unsent, state: 'sent' as const, messageId: 'a' }
  expect(shown(windowOf(pageFor([rowFor('a')])), [posted], me)).toEqual(['day', 'a'])
})

test('the timeline of a direct message shows messages, but no other events', () => {
  const began: RoomTimelineEvent = {
    ...rowFor('began'),
    event: { case: 'roomCreated', value: { $typeName: 'svc.api.v1.RoomTimelineRoomEvent', roomId: 'R1' } },
  }
  const window = windowOf(pageFor([began, rowFor('a')]))
  expect(shown(window, [], me)).toEqual(['day', 'began', 'a'])
  expect(shown(window, [], { ...me, isDirect: true })).toEqual(['day', 'a'])
})
