import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { access, constants, mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { ConnectError } from '@connectrpc/connect'
import { storageFailure } from './storage-failure.ts'
import { checkKey, isKey } from './keys.ts'
import type { ByteRange, ListedObject, Storage, UnfinishedWrite } from './storage.ts'

/**
 * Whether uploads has ever started with this folder. If not, rejects unless this process could create or write it.
 * Creates nothing.
 */
export async function hasBeenUsed(folder: string): Promise<boolean> {
  const root = resolve(folder)
  if (await statOf(join(root, 'objects'))) return true
  await assertCanCreate(root)
  return false
}

async function assertCanCreate(folder: string): Promise<void> {
  if (await statOf(folder)) await access(folder, constants.W_OK | constants.X_OK)
  else await assertCanCreate(dirname(folder))
}

export async function openDiskStorage(folder: string): Promise<Storage> {
  const root = resolve(folder)
  const objects = join(root, 'objects')
  const unfinished = join(root, 'unfinished')
  await mkdir(objects, { recursive: true, mode: 0o700 })
  await mkdir(unfinished, { recursive: true, mode: 0o700 })

  const pathOf = (key: string): string => join(objects, checkKey(key))
  return {
    put: (key, content) => translateErrors(() => write(join(unfinished, randomUUID()), pathOf(key), content)),
    get: (key, range) => translateErrors(() => read(pathOf(key), range)),
    stat: (key) => translateErrors(async () => toListedObject(key, await statOf(pathOf(key)))),
    delete: (key) => translateErrors(() => rm(pathOf(key), { force: true })),
    list: (prefix) => filesBelow(pathOf(prefix), prefix),
    page: (prefix, after, limit) => firstAfter(filesBelow(pathOf(prefix), prefix), after, limit),
    unfinished: () => unfinishedIn(unfinished),
    unfinishedAfter: (after, limit) => firstAfter(unfinishedIn(unfinished), after, limit),
  }
}

/** Flushes a temporary file and moves it into place, so that no reader sees a partial file. */
async function write(temporary: string, path: string, content: Readable): Promise<void> {
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600, flush: true })
    const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rename(temporary, path)
    await syncFolder(dirname(path))
    if (created !== undefined) await syncFolder(dirname(created))
  } catch (error) {
    content.destroy()
    await rm(temporary, { force: true })
    throw error
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function read(path: string, range: ByteRange | undefined) {
  try {
    const file = await open(path, 'r')
    const { size } = await file.stat()
    return { size, content: file.createReadStream(range ?? {}) }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function* filesBelow(folder: string, prefix: string): AsyncIterable<ListedObject> {
  for await (const entry of await translateErrors(() => openFolder(folder))) {
    if (!isKey(entry.name)) continue
    const path = join(folder, entry.name)
    const key = `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(path, key)
    else {
      const found = toListedObject(key, await translateErrors(() => statOf(path)))
      if (found) yield found
    }
  }
}

const toListedObject = (key: string, found: Stats | undefined): ListedObject | undefined =>
  found && { key, size: found.size, modifiedAt: found.mtime }

/** A folder has no order, so all names are read. */
async function firstAfter<T extends { key: string }>(
  all: AsyncIterable<T>,
  after: string,
  limit: number,
): Promise<T[]> {
  let first: T[] = []
  const truncate = () => (first = first.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit))
  for await (const entry of all) {
    if (entry.key <= after) continue
    first.push(entry)
    if (first.length >= 2 * limit) truncate()
  }
  return truncate()
}

const openFolder = (path: string) => opendir(path).catch(ifMissing(() => []))
const statOf = (path: string) => stat(path).catch(ifMissing(() => undefined))

async function* unfinishedIn(folder: string): AsyncIterable<UnfinishedWrite> {
  for await (const { key, modifiedAt } of filesBelow(folder, '')) {
    const name = key.slice(1)
    yield {
      key: name,
      at: modifiedAt,
      discard: () => translateErrors(() => rm(join(folder, name), { force: true })),
    }
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
const ifMissing =
  <T>(fallback: () => T) =>
  (error: unknown): T => {
    if (isMissing(error)) return fallback()
    throw error
  }

/** Translates errors of system calls to `unavailable`; rethrows other errors unchanged. */
async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConnectError || (error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw storageFailure(error)
  }
}
