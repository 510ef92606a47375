import { expect, jest, test } from '@jest/globals'
import { Code, ConnectError } from '@parley/client'
import type { RoomTimelinePage } from '@parley/client/contract'
import { pageFor, rowFor } from '../store/_messages.ts'
import { Timeline } from './timeline.ts'

const defaultRows = 600

function room(rows: string[]) {
  const read = jest.fn((cursor?: { value: string }, limit: number = defaultRows): Promise<RoomTimelinePage> => {
    const from = cursor === undefined ? Math.max(0, rows.length - limit) : rows.indexOf(cursor.value) + 1
    const to = Math.min(rows.length, from + limit)
    const more = { hasOlder: from > 0, hasNewer: to < rows.length }
    return Promise.resolve(
      pageFor(
        rows.slice(from, to).map((id) => rowFor(id)),
        more,
      ),
    )
  })
  const readMessages = jest.fn((_: string[]) => Promise.resolve([]))
  const timeline = new Timeline({ read, readAround: () => read(), readMessages })
  return { rows, read, readMessages, timeline, shown: () => timeline.window.value?.rows.map(({ id }) => id) }
}

test('rows of a burst are fetched with few requests, and none is missed', async () => {
  const { rows, read, timeline, shown } = room(['a'])
  await timeline.reload()
  const caughtUp = [...'bcdefgh'].map((id) => {
    rows.push(id)
    return timeline.catchUp()
  })
  await Promise.all(caughtUp)
  expect(shown()).toEqual([...'abcdefgh'])
  expect(read.mock.calls.length).toBeLessThanOrEqual(3)
})

test('in a flood only the newest rows are fetched, with one request', async () => {
  const { rows, read, timeline, shown } = room(['a'])
  await timeline.reload()
  timeline.open()
  await timeline.catchUp()
  read.mockClear()
  const changed = new Promise<void>((resolve) => timeline.window.subscribe(resolve))
  for (let n = 0; n < 1_000; n++) {
    rows.push(`m${n}`)
    timeline.onNewRows()
  }
  await changed
  expect(read.mock.calls).toEqual([[]])
  expect([shown()?.length, shown()?.at(-1)]).toEqual([defaultRows, 'm999'])
})

test('a timeline that could not be loaded is loaded at its next event', async () => {
  const { read, timeline, shown } = room(['a'])
  read.mockRejectedValueOnce(new Error('not a member'))
  await timeline.reload()
  expect([timeline.status.value, shown()]).toEqual(['failed', undefined])
  await timeline.catchUp()
  expect([timeline.status.value, shown()]).toEqual(['ready', ['a']])
})

test('while a view is scrolled up, new rows do not push out the older ones', async () => {
  const all = Array.from({ length: 600 }, (_, at) => `m${at}`)
  const { timeline, shown } = room(all)
  await timeline.reload()
  timeline.isAtNewest = false
  all.push('newest')
  await timeline.catchUp()
  expect([shown()?.length, timeline.window.value?.hasNewer]).toEqual([600, true])
})

test('a view at the newest row stays there when many rows arrive at once', async () => {
  const { rows, timeline, shown } = room(['a'])
  await timeline.reload()
  rows.push(...Array.from({ length: 900 }, (_, at) => `m${at}`))
  await timeline.catchUp()
  expect(shown()?.at(-1)).toBe('m899')
  expect(timeline.window.value).toMatchObject({ hasOlder: true, hasNewer: false })
})

test('after missed events, a view that is scrolled up keeps and updates its rows', async () => {
  const { rows, read, readMessages, timeline, shown } = room(['a', 'b'])
  await timeline.reload()
  rows.push('c')
  timeline.isAtNewest = false
  const readsBefore = read.mock.calls.length
  await timeline.reloadShown()
  expect(shown()).toEqual([...'abc'])
  expect(readMessages.mock.calls).toEqual([[['a', 'b']]])
  expect(read.mock.calls.slice(readsBefore)).toEqual([[{ case: 'after', value: 'b' }, expect.any(Number)]])
})

test('missed changes are loaded, even if that takes several attempts', async () => {
  jest.useFakeTimers()
  const { readMessages, timeline } = room(['a', 'b'])
  await timeline.reload()
  await timeline.onMessagesChanged(['a'])
  readMessages.mockRejectedValueOnce(new Error('lost'))
  timeline.open()
  await jest.advanceTimersByTimeAsync(60_000)
  expect(readMessages.mock.calls).toEqual([[['a']], [['a']]])
  jest.useRealTimers()
})

test('a failed request for rows is repeated, unless access was denied', async () => {
  jest.useFakeTimers()
  const { rows, read, timeline, shown } = room(['a'])
  await timeline.reload()
  rows.push(...Array.from({ length: 900 }, (_, at) => `m${at}`))
  read.mockImplementationOnce(read.getMockImplementation() ?? read).mockRejectedValueOnce(new Error('lost'))
  await timeline.catchUp()
  await jest.advanceTimersByTimeAsync(5_000)
  expect(shown()?.at(-1)).toBe('m899')

  read.mockRejectedValue(new ConnectError('not a member', Code.PermissionDenied))
  await timeline.catchUp()
  const readsBefore = read.mock.calls.length
  await jest.advanceTimersByTimeAsync(60_000)
  expect(read.mock.calls.length).toBe(readsBefore)
  jest.useRealTimers()
})

test('changes in a hidden timeline are loaded once, when it is shown', async () => {
  const { rows, read, readMessages, timeline, shown } = room(['a'])
  const until = async (last: string) => {
    while (shown()?.at(-1) !== last) await new Promise<void>((resolve) => timeline.window.subscribe(resolve))
  }
  await timeline.reload()
  const close = timeline.open()
  rows.push('b')
  timeline.onNewRows()
  await until('b')
  close()
  const readsBefore = read.mock.calls.length
  for (const id of 'cdef') {
    rows.push(id)
    timeline.onNewRows()
    await timeline.onMessagesChanged(['a', id])
  }
  expect([read.mock.calls.length, readMessages.mock.calls.length]).toEqual([readsBefore, 0])

  timeline.open()
  await until('f')
  expect(shown()).toEqual([...'abcdef'])
  expect(read.mock.calls.length).toBe(readsBefore + 1)
  expect(readMessages.mock.calls).toEqual([[['a']]])
})
