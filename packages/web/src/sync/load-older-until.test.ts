import { expect, jest, test } from '@jest/globals'
import { pageFor, rowFor } from '../store/_messages.ts'
import { loadOlderUntil } from './load-older-until.ts'
import { Timeline } from './timeline.ts'

function roomOf(minutes: number) {
  const ids = Array.from({ length: minutes }, (_, at) => `m${at}`)
  const read = jest.fn((cursor?: { value: string }, limit: number = 50) => {
    const to = cursor === undefined ? ids.length : ids.indexOf(cursor.value)
    const from = Math.max(0, to - limit)
    const rows = ids.slice(from, to).map((id, at) => rowFor(id, { at: from + at }))
    return Promise.resolve(pageFor(rows, { hasOlder: from > 0, hasNewer: to < ids.length }))
  })
  return { read, timeline: new Timeline({ read, readAround: () => read(), readMessages: () => Promise.resolve([]) }) }
}
const minute = 60_000

test('older rows are loaded back to a time, and no further', async () => {
  const { read, timeline } = roomOf(1_000)
  await timeline.reload()
  await loadOlderUntil(timeline, 600 * minute)
  expect(read).toHaveBeenCalledTimes(3)
  expect(timeline.window.value?.rows.some(({ id }) => id === 'm600')).toBe(true)
  await loadOlderUntil(timeline, 700 * minute)
  expect(read).toHaveBeenCalledTimes(3)
})

test('loading older rows stops at the first row, or after the maximum number of requests', async () => {
  const short = roomOf(120)
  await short.timeline.reload()
  await loadOlderUntil(short.timeline, 0)
  expect(short.timeline.window.value?.rows[0]?.id).toBe('m0')

  const long = roomOf(100_000)
  await long.timeline.reload()
  await loadOlderUntil(long.timeline, 0)
  expect(long.read.mock.calls.length).toBeLessThan(30)
})
