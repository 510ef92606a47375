import { describe, expect, test } from '@jest/globals'
import { messageFor, pageFor, rowFor } from './_messages.ts'
import {
  endCursorOf,
  messageOf,
  rowsAbout,
  startCursorOf,
  windowOf,
  withMessages,
  withNewer,
  withOlder,
  withoutAttachment,
  withoutAuthor,
  withRetracted,
} from './timeline-window.ts'

const ids = ({ rows }: { rows: readonly { id: string }[] }) => rows.map(({ id }) => id)
const [a, b, c, d] = [rowFor('a'), rowFor('b'), rowFor('c'), rowFor('d')] as const
const window = windowOf(pageFor([b, c], { hasOlder: true }))

describe('a window', () => {
  test('grows at both ends, and still knows whether there are more rows at the other end', () => {
    const newer = withNewer(window, pageFor([d], { hasOlder: true }))
    expect([ids(newer), startCursorOf(newer), endCursorOf(newer), newer.hasOlder]).toEqual([
      ['b', 'c', 'd'],
      'b',
      'd',
      true,
    ])
    // A page of older rows has newer rows, but these are in the window.
    const older = withOlder(newer, pageFor([a], { hasNewer: true }))
    expect([ids(older), startCursorOf(older), older.hasOlder, older.hasNewer]).toEqual([
      ['a', 'b', 'c', 'd'],
      'a',
      false,
      false,
    ])
  })

  test('contains each row once, even if a page repeats rows', () => {
    expect(ids(withNewer(window, pageFor([c, d])))).toEqual(['b', 'c', 'd'])
    expect(ids(withOlder(window, pageFor([a, b])))).toEqual(['a', 'b', 'c'])
  })

  test('stays the same object if nothing changes', () => {
    const empty = { ...pageFor([]), endCursor: 'c' }
    expect(withNewer(window, empty)).toBe(window)
    expect(withMessages(window, [messageFor('x')])).toBe(window)
  })

  test('drops whole pages at one end when it grows at the other', () => {
    const page = (from: number, more = {}) =>
      pageFor(
        Array.from({ length: 50 }, (_, at) => rowFor(String(from + at))),
        more,
      )
    let shown = windowOf(page(1_000))
    for (let from = 950; from >= 0; from -= 50) shown = withOlder(shown, page(from, { hasOlder: from > 0 }))
    expect([shown.rows.length, shown.rows[0]?.id, endCursorOf(shown)]).toEqual([500, '0', '499'])
    expect([shown.hasOlder, shown.hasNewer]).toEqual([false, true])
    const back = withNewer(shown, page(500, { hasNewer: true }))
    expect([back.rows.length, startCursorOf(back), back.rows.at(-1)?.id, back.hasOlder]).toEqual([
      ...[500, '50', '549', true],
    ])
    // Rows that arrive one by one do not form pages of one row.
    let live = windowOf(pageFor([a]))
    for (let at = 0; at < 700; at++) live = withNewer(live, pageFor([rowFor(`live ${at}`)]))
    expect(live.pages.length).toBeLessThan(13)
    expect(live.rows.length).toBeLessThan(551)
    expect([live.rows.at(-1)?.id, live.hasOlder, live.hasNewer]).toEqual(['live 699', true, false])
  })

  test('shows the current version of messages', () => {
    const changed = withMessages(window, [messageFor('c', { body: 'new' })])
    expect(changed.rows.map((row) => messageOf(row)?.body)).toEqual(['b', 'new'])
    expect(changed.rows[0]).toBe(b)
  })
})

describe('a retraction', () => {
  const reply = windowOf(pageFor([b, rowFor('echo', { echoOfEventId: 'b' })]))
  const at = messageFor('x', { at: 3 }).createdAt

  test('turns a message and its echo into placeholders', () => {
    const left = withRetracted(reply, 'b', at)
    expect(ids(left)).toEqual(['b', 'echo'])
    expect(left.rows.map((row) => [messageOf(row)?.body, messageOf(row)?.deletedAt])).toEqual([
      [undefined, at],
      [undefined, at],
    ])
  })

  test('of an echo removes only the echo', () => {
    expect(ids(withRetracted(reply, 'echo', at))).toEqual(['b'])
  })

  test('of all messages of a deleted account turns exactly these into placeholders', () => {
    const said = windowOf(pageFor([rowFor('a', { by: 'U1' }), rowFor('b', { by: 'U2' }), rowFor('c', { by: 'U1' })]))
    const left = withoutAuthor(said, 'U1', at)
    expect(left.rows.map((row) => messageOf(row)?.body)).toEqual([undefined, 'b', undefined])
    expect(left.rows.map((row) => messageOf(row)?.deletedAt)).toEqual([at, undefined, at])
    expect(withoutAuthor(said, 'U3', at)).toBe(said)
  })

  test('of the messages of an account also removes its reactions', () => {
    const reaction = (emoji: string, previewUserIds: string[]) => ({
      ...{ $typeName: 'svc.api.v1.MessageReaction' as const, emoji, count: previewUserIds.length },
      ...{ hasReacted: false, previewUserIds },
    })
    const reactions = [reaction('🚀', ['U1']), reaction('👍', ['U2', 'U1']), reaction('👀', ['U2'])]
    const left = withoutAuthor(windowOf(pageFor([rowFor('b', { by: 'U2', reactions })])), 'U1', at)
    expect(messageOf(left.rows[0] ?? a)).toMatchObject({
      body: 'b',
      reactions: [
        { emoji: '👍', count: 1, previewUserIds: ['U2'] },
        { emoji: '👀', count: 1 },
      ],
    })
  })

  test('of a message that is not loaded changes nothing', () => expect(withRetracted(reply, 'z', at)).toBe(reply))
})

test('a message and its echoes are found by the id of the message', () => {
  expect(rowsAbout(windowOf(pageFor([a, b, rowFor('echo', { echoOfEventId: 'a' })])), 'a')).toEqual(['a', 'echo'])
})

test('a deleted file is removed from its message and its echo, which keep their other files', () => {
  const file = (id: string) => ({
    $typeName: 'svc.api.v1.MessageAttachment' as const,
    ...{ id, filename: id, contentType: 'text/plain', width: 0, height: 0 },
  })
  const files = [file('A1'), file('A2')]
  const given = windowOf(pageFor([a, rowFor('b', { attachments: files }), rowFor('echo', { attachments: files })]))
  const left = withoutAttachment(given, 'A1')
  expect(left.rows.map((row) => messageOf(row)?.attachments.map(({ id }) => id))).toEqual([[], ['A2'], ['A2']])
  expect([left.rows[0], withoutAttachment(given, 'A3')]).toEqual([a, given])
})
