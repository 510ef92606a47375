import type { Readable } from 'node:stream'

/** Bytes that are there. Whoever gets them reads `content` to its end or destroys it. */
export type StoredObject = { size: number; content: Readable }

/** First and last byte, both included, as in an HTTP range. */
export type ByteRange = { start: number; end: number }

/** What a listing tells of an object. */
export type ListedObject = { key: string; size: number; modifiedAt: Date }

/** A write that was begun and has not ended. Its process may be at work still, or gone. */
export type UnfinishedWrite = { key: string; startedAt: Date; discard: () => Promise<void> }

/** What whoever follows an address is told of the bytes behind it. */
export type Presigned = { expiresMs: number; contentType: string; filename: string }

/**
 * Where bytes lie. Keys are words of `A-Za-z0-9_-` separated by slashes. What was put is there as a whole or not at all,
 * also after a crash. Everything rejects with `unavailable` when the storage does not do its work.
 */
export type Storage = {
  put(key: string, content: Readable): Promise<void>
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>
  /** Whether an object is there. */
  stat(key: string): Promise<ListedObject | undefined>
  /** Deleting what is not there succeeds. */
  delete(key: string): Promise<void>
  /** Everything whose key begins with the prefix, a whole number of words. What is called otherwise than a key is not ours. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** So many of those of a listing whose keys come after that one, in the order of their characters. */
  page(prefix: string, after: string, most: number): Promise<ListedObject[]>
  /** Writes of ours that left something behind which no listing tells of. */
  unfinished(): AsyncIterable<UnfinishedWrite>
  /**
   * An address under which anybody may read the object, in ranges too, until it expires. Storages that nobody but this
   * service reaches have none. Whether the object is there is not looked at.
   */
  presign?(key: string, options: Presigned): Promise<string>
}

/** Keys of what this service keeps. */
export const storageKeys = {
  /** To which database the storage belongs. */
  identity: 'identity',
  blobs: 'blobs',
  blob: (id: string): string => `blobs/${id}`,
  chunks: 'chunks',
  chunk: (uploadId: string, id: string): string => `chunks/${uploadId}-${id}`,
  assets: 'files',
  asset: (id: string): string => `files/${id}`,
  variants: 'variants',
  variant: (key: string): string => `variants/${key}`,
  serverImages: 'server',
  serverImage: (key: string): string => `server/${key}`,
}

const ownKey = /^(blobs|chunks|files|variants|server)\/A[\w-]+$/

/** Whether a key is one of ours: other programs may keep theirs in the same bucket. */
export const isOwnKey = (key: string): boolean => ownKey.test(key)
