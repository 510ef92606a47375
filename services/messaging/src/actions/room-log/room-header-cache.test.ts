import { expect, test } from '@jest/globals'
import { RoomKind } from '@parley/contracts/api'
import type { RoomHeader } from '../../domain/room-header.ts'
import { RoomHeaderCache } from './room-header-cache.ts'

const header = (roomId: string, version: bigint): RoomHeader => {
  const nothing = { groupId: '', universal: false, archived: false, name: '', participantIds: [] }
  return { roomId, version, kind: RoomKind.CHANNEL, ...nothing }
}

test('concurrent requests for a header share one load, and the header is cached', async () => {
  let loads = 0
  const headers = new RoomHeaderCache((roomId) => {
    loads++
    return Promise.resolve(header(roomId, 1n))
  })
  expect(await Promise.all([headers.get('R1'), headers.get('R1')])).toMatchObject([{ version: 1n }, { version: 1n }])
  await headers.get('R1')
  expect(loads).toBe(1)
})

test('a slow load does not replace a newer header', async () => {
  let resolve: (header: RoomHeader) => void = () => undefined
  const loaded = new Promise<RoomHeader>((done) => (resolve = done))
  const headers = new RoomHeaderCache(() => loaded)
  const getting = headers.get('R1')
  headers.put(header('R1', 2n))
  resolve(header('R1', 1n))
  await getting
  expect((await headers.get('R1'))?.version).toBe(2n)
})

test('unknown rooms and failed loads are not cached', async () => {
  const answers = [
    Promise.resolve(undefined),
    Promise.reject(new Error('unavailable')),
    Promise.resolve(header('R1', 1n)),
  ]
  const headers = new RoomHeaderCache(() => answers.shift() ?? Promise.resolve(undefined))
  expect(await headers.get('R1')).toBeUndefined()
  await expect(headers.get('R1')).rejects.toThrow('unavailable')
  expect(await headers.get('R1')).toMatchObject({ version: 1n })
})

test('the cache is limited', async () => {
  const loadedIds: string[] = []
  const load = (roomId: string) => {
    loadedIds.push(roomId)
    return Promise.resolve(header(roomId, 1n))
  }
  const headers = new RoomHeaderCache(load, 2)
  for (const roomId of ['R1', 'R2', 'R3', 'R3', 'R2', 'R1']) await headers.get(roomId)
  expect(loadedIds).toEqual(['R1', 'R2', 'R3', 'R1'])
})
