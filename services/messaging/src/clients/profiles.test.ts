import { create } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import { UserSchema, type User } from '@parley/contracts/api'
import { Profiles } from './profiles.ts'

const user = (id: string, displayName = id): User => create(UserSchema, { id, displayName })

function accounts() {
  const calls: string[][] = []
  const state = { unavailable: false, names: new Map<string, string>() }
  const fetch = (ids: string[]): Promise<User[]> => {
    calls.push(ids)
    if (state.unavailable) return Promise.reject(new Error('unavailable'))
    return Promise.resolve(ids.filter((id) => id !== 'unknown').map((id) => user(id, state.names.get(id))))
  }
  return { calls, state, fetch }
}

const names = (found: Map<string, User>) => [...found.values()].map((found) => found.displayName)

describe('profiles', () => {
  test('are fetched in one call for concurrent requests, and cached', async () => {
    const { calls, fetch } = accounts()
    const profiles = new Profiles(fetch)
    const pages = await Promise.all([profiles.get(['a', 'b']), profiles.get(['b', 'c', 'unknown']), profiles.get([])])
    expect(pages.map((page) => [...page.keys()].sort())).toEqual([['a', 'b'], ['b', 'c'], []])
    expect(calls).toEqual([['a', 'b', 'c', 'unknown']])
    await profiles.get(['a', 'c'])
    expect(calls).toHaveLength(1)
  })

  test('are fetched with at most 500 ids per call, as accounts requires', async () => {
    const { calls, fetch } = accounts()
    const found = await new Profiles(fetch).get(Array.from({ length: 1001 }, (_, index) => `u${index}`))
    expect(found.size).toBe(1001)
    expect(calls.map((ids) => ids.length)).toEqual([500, 500, 1])
  })

  test('are fetched again after an event about their user, even if it arrives during a call', async () => {
    const { calls, state, fetch } = accounts()
    const profiles = new Profiles(fetch)
    await profiles.get(['a'])
    state.names.set('a', 'new')
    profiles.drop('a')
    expect(names(await profiles.get(['a']))).toEqual(['new'])
    profiles.clear()
    const running = profiles.get(['a'])
    profiles.drop('a')
    expect(names(await running)).toEqual(['new'])
    await profiles.get(['a'])
    expect(calls).toHaveLength(4)
  })

  test('are used up to a maximum age while accounts is unavailable', async () => {
    let now = 1
    const { calls, state, fetch } = accounts()
    const profiles = new Profiles(fetch, { freshMs: 10, maxStaleMs: 100, now: () => now })
    await profiles.get(['a'])
    now = 50
    state.unavailable = true
    expect(names(await profiles.get(['a', 'b']))).toEqual(['a'])
    expect(calls).toHaveLength(2)
    now = 150
    expect(names(await profiles.get(['a']))).toEqual([])
  })

  test('are cached up to a limit', async () => {
    const { calls, fetch } = accounts()
    const profiles = new Profiles(fetch, { maxEntries: 2 })
    await profiles.get(['a', 'b', 'c'])
    await profiles.get(['b', 'c'])
    expect(calls).toHaveLength(1)
    await profiles.get(['a'])
    expect(calls).toHaveLength(2)
  })
})
