import { expect, jest, test } from '@jest/globals'
import type { RoomTimelinePage } from '@parley/client/contract'
import { pageFor, rowFor } from '../store/_messages.ts'
import { Timeline } from './timeline.ts'

/** A room whose newest rows are `rows`, and how often it was read. */
function room(rows: string[]) {
  const read = jest.fn((cursor?: { value: string }): Promise<RoomTimelinePage> => {
    const from = cursor === undefined ? 0 : rows.indexOf(cursor.value) + 1
    return Promise.resolve(pageFor(rows.slice(from).map((id) => rowFor(id))))
  })
  const timeline = new Timeline({ read, readAround: () => read(), readMessages: () => Promise.resolve([]) })
  return { rows, read, timeline, shown: () => timeline.window.value?.rows.map(({ id }) => id) }
}

test('rows that come in a burst are read together, and none is missed', async () => {
  const { rows, read, timeline, shown } = room(['a'])
  await timeline.reload()
  const followed = [...'bcdefgh'].map((id) => {
    rows.push(id)
    return timeline.catchUp()
  })
  await Promise.all(followed)
  expect(shown()).toEqual([...'abcdefgh'])
  expect(read.mock.calls.length).toBeLessThanOrEqual(3)
})

test('a timeline that could not be read is read by what happens in it', async () => {
  const { read, timeline, shown } = room(['a'])
  read.mockRejectedValueOnce(new Error('not a member'))
  await timeline.reload()
  expect([timeline.status.value, shown()]).toEqual(['failed', undefined])
  await timeline.catchUp()
  expect([timeline.status.value, shown()]).toEqual(['ready', ['a']])
})

test('what somebody reads far back is not dropped for what comes', async () => {
  const all = Array.from({ length: 600 }, (_, at) => `m${at}`)
  const { timeline, shown } = room(all)
  await timeline.reload()
  timeline.isFollowed = false
  all.push('newest')
  await timeline.catchUp()
  expect([shown()?.length, timeline.window.value?.hasNewer]).toEqual([600, true])
})
