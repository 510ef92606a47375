import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Code } from '@connectrpc/connect'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { openDiskStorage } from './disk.ts'
import type { Storage } from './storage.ts'

let folder: string
let storage: Storage

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-storage-'))
  storage = await openDiskStorage(folder)
})
afterEach(() => rm(folder, { recursive: true }))

const put = (key: string, content: string) => storage.put(key, Readable.from([Buffer.from(content)]))
const get = async (key: string, range?: { start: number; end: number }) => {
  const found = await storage.get(key, range)
  return found && { size: found.size, content: await text(found.content) }
}
const list = async (prefix: string) => {
  const keys = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys.sort()
}
const unfinished = () => readdir(join(folder, 'unfinished'))

test('what is put is got, whole or in part, replaced and deleted', async () => {
  await put('files/A1', 'hello world')
  expect(await get('files/A1')).toEqual({ size: 11, content: 'hello world' })
  expect(await get('files/A1', { start: 6, end: 8 })).toEqual({ size: 11, content: 'wor' })
  await put('files/A1', 'other')
  expect(await get('files/A1')).toEqual({ size: 5, content: 'other' })
  await storage.delete('files/A1')
  await storage.delete('files/A1')
  expect(await get('files/A1')).toBeUndefined()
})

test('what fails half-way is not there, and what was there stays', async () => {
  await put('files/A1', 'before')
  const failing = Readable.from(
    (function* () {
      yield Buffer.from('half')
      throw new Error('the sender is gone')
    })(),
  )
  await expect(storage.put('files/A1', failing)).rejects.toThrow('the sender is gone')
  expect(await get('files/A1')).toEqual({ size: 6, content: 'before' })
  expect(await unfinished()).toEqual([])
})

test('lists what is below a word, with size and age', async () => {
  for (const key of ['files/A1', 'files/x/A2', 'filesystem/A3', 'server/A4']) await put(key, 'x')
  expect(await list('files')).toEqual(['files/A1', 'files/x/A2'])
  expect(await list('nothing')).toEqual([])
  const before = Date.now()
  await put('blobs/A5', 'five!')
  for await (const { key, size, modifiedAt } of storage.list('blobs')) {
    expect({ key, size }).toEqual({ key: 'blobs/A5', size: 5 })
    expect(Math.abs(modifiedAt.getTime() - before)).toBeLessThan(60_000)
  }
})

test.each(['', '/', '../A1', 'files/../../A1', 'files/./A1', '/etc/passwd', 'files//A1', 'files/A\0', 'a.b', 'a\\b'])(
  '%j is no key',
  async (key) => {
    await expect(put(key, 'x')).rejects.toThrow(TypeError)
    await expect(storage.get(key)).rejects.toThrow(TypeError)
    await expect(storage.delete(key)).rejects.toThrow(TypeError)
  },
)

test('a folder that is gone is unavailable', async () => {
  await rm(folder, { recursive: true })
  await writeFile(folder, 'not a folder')
  await expect(put('files/A1', 'x')).rejects.toMatchObject({ code: Code.Unavailable })
  await expect(storage.get('files/A1')).rejects.toMatchObject({ code: Code.Unavailable })
})

test('what a process left unfinished goes when another one starts, unless it may be at work', async () => {
  const [old, young] = [join(folder, 'unfinished/old'), join(folder, 'unfinished/young')]
  await writeFile(old, 'x')
  await writeFile(young, 'x')
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  await utimes(old, longAgo, longAgo)
  await openDiskStorage(folder)
  expect(await unfinished()).toEqual(['young'])
})
