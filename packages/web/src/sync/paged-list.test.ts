import { expect, test } from '@jest/globals'
import type { PageInfo } from '@parley/client/contract'
import { PagedList } from './paged-list.ts'

type PendingRequest = {
  search: string
  cursor: string
  answer: (items: string[], nextCursor?: string) => void
  fail: () => void
}

function listWithRequests() {
  const requests: PendingRequest[] = []
  const list = new PagedList<string>(
    ({ search, cursor }) =>
      new Promise((resolve, reject) => {
        const answer = (items: string[], nextCursor = '') =>
          resolve({ items, page: { nextCursor, totalCount: 7n } as PageInfo })
        requests.push({ search, cursor, answer, fail: () => reject(new Error('unavailable')) })
      }),
    (item) => item,
  )
  return { list, requests }
}

test('a list is loaded page by page', async () => {
  const { list, requests } = listWithRequests()
  const first = list.search('')
  requests[0]?.answer(['a', 'b'], 'after b')
  await first
  expect([list.items.value, list.total.value, list.hasMore.value]).toEqual([['a', 'b'], 7, true])
  const more = list.more()
  requests[1]?.answer(['c'])
  await more
  expect(requests.map(({ cursor }) => cursor)).toEqual(['', 'after b'])
  expect([list.items.value, list.hasMore.value]).toEqual([['a', 'b', 'c'], false])
})

test('only the response to the newest query is used', async () => {
  const { list, requests } = listWithRequests()
  const [slow, quick] = [list.search(''), list.reload()]
  requests[1]?.answer(['new'])
  await quick
  requests[0]?.answer(['old'])
  await slow
  expect(list.items.value).toEqual(['new'])
})

test('of queries typed in quick succession, only the last is requested', async () => {
  const { list, requests } = listWithRequests()
  const typed = [list.search('a'), list.search('an'), list.search(' ann ')]
  await Promise.race(typed)
  while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve))
  requests[0]?.answer(['Ann'])
  await Promise.all(typed)
  expect(requests.map(({ search }) => search)).toEqual(['ann'])
  expect(list.items.value).toEqual(['Ann'])
})

test('an item that moved to a later page is listed once', async () => {
  const { list, requests } = listWithRequests()
  const first = list.search('')
  requests[0]?.answer(['a', 'b'], 'after b')
  await first
  const more = list.more()
  requests[1]?.answer(['c', 'a'])
  await more
  expect(list.items.value).toEqual(['a', 'b', 'c'])
})

test('if the list is reloaded or continued while a search waits for a pause in typing, the search is requested once', async () => {
  for (const next of ['reload', 'more'] as const) {
    const { list, requests } = listWithRequests()
    const first = list.search('')
    requests[0]?.answer(['a'], 'after a')
    await first
    const searched = list.search('ann')
    const meanwhile = list[next]()
    requests[1]?.answer(['Ann'])
    await Promise.all([searched, meanwhile])
    expect(requests.slice(1).map(({ search, cursor }) => [search, cursor])).toEqual([['ann', '']])
    expect(list.items.value).toEqual(['Ann'])
  }
})

test('after a failure the loaded pages stay, and the next attempt clears the failure', async () => {
  const { list, requests } = listWithRequests()
  const first = list.search('')
  requests[0]?.answer(['a'])
  await first
  const failed = list.reload()
  requests[1]?.fail()
  await failed
  expect([list.items.value, list.failure.value]).toEqual([['a'], new Error('unavailable')])
  const again = list.reload()
  expect(list.failure.value).toBeUndefined()
  requests[2]?.answer(['b'])
  await again
  expect(list.items.value).toEqual(['b'])
})
