import { expect, test } from '@jest/globals'
import { Handles } from './handles.ts'

function handlesOf(...known: string[]) {
  const state = { calls: [] as (readonly string[])[], unavailable: false, time: 1 }
  const fetch = async (handles: readonly string[]) => {
    state.calls.push(handles)
    await new Promise(setImmediate)
    if (state.unavailable) throw new Error('unavailable')
    const users = handles.filter((handle) => known.includes(handle))
    return new Map(users.map((handle) => [handle, { userId: `U${handle}`, roleIds: [] }]))
  }
  const options = { ttlMs: 60, unknownTtlMs: 5, maxEntries: 3, now: () => state.time }
  return { state, handles: new Handles(fetch, options) }
}

const handlesFound = async (requested: Promise<ReadonlyMap<string, unknown> | undefined>) => [
  ...((await requested)?.keys() ?? ['?']),
]

test('users are cached, unknown handles for a shorter time', async () => {
  const { state, handles } = handlesOf('ann')
  expect(await handlesFound(handles.resolve(['ann', 'nobody']))).toEqual(['ann'])
  state.time = 4
  expect(await handlesFound(handles.resolve(['nobody', 'ann']))).toEqual(['ann'])
  expect(state.calls).toHaveLength(1)
  state.time = 7
  await handles.resolve(['ann', 'nobody'])
  expect(state.calls.at(-1)).toEqual(['nobody'])
  state.time = 62
  await handles.resolve(['ann'])
  expect(state.calls.at(-1)).toEqual(['ann'])
})

test('concurrent lookups share one call, which has at most 100 handles', async () => {
  const { state, handles } = handlesOf('ann')
  expect(
    await Promise.all([handlesFound(handles.resolve(['ann', 'x'])), handlesFound(handles.resolve(['ann', 'y']))]),
  ).toEqual([['ann'], ['ann']])
  expect(state.calls).toEqual([['ann', 'x', 'y']])
  await handles.resolve(Array.from({ length: 150 }, (_, n) => `h${n}`))
  expect(state.calls.slice(1).map((call) => call.length)).toEqual([100, 50])
})

test('a failed call caches nothing', async () => {
  const { state, handles } = handlesOf('ann')
  state.unavailable = true
  expect(await handles.resolve(['ann'])).toBeUndefined()
  state.unavailable = false
  expect(await handlesFound(handles.resolve(['ann']))).toEqual(['ann'])
})

test('the cache is limited', async () => {
  const { state, handles } = handlesOf('a', 'b', 'c', 'd')
  for (const handle of ['a', 'b', 'c', 'd', 'a']) await handles.resolve([handle])
  expect(state.calls).toEqual([['a'], ['b'], ['c'], ['d'], ['a']])
})
