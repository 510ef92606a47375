import type { Readable } from 'node:stream'

/** Stored bytes. The receiver must read `content` to its end or destroy it. */
export type StoredObject = { size: number; content: Readable }

/** First and last byte, both included, as in an HTTP range. */
export type ByteRange = { start: number; end: number }

/** An object in a listing. */
export type ListedObject = { key: string; size: number; modifiedAt: Date }

/** A write that has not ended. Its process may still be running or not. */
export type UnfinishedWrite = { key: string; startedAt: Date; discard: () => Promise<void> }

/** Response headers for a stored object at a presigned address. */
export type Presigned = { expiresMs: number; contentType: string; filename: string }

/**
 * Storage for bytes. Keys are segments of `A-Za-z0-9_-` separated by slashes. Writes are atomic, even after a crash.
 * Every method rejects with `unavailable` when the storage fails.
 */
export type Storage = {
  put(key: string, content: Readable): Promise<void>
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>
  /** Finds an object. */
  stat(key: string): Promise<ListedObject | undefined>
  /** Deleting a missing object succeeds. */
  delete(key: string): Promise<void>
  /**
   * All objects whose key begins with the prefix, which consists of whole path segments. Objects whose names are not
   * keys are left out.
   */
  list(prefix: string): AsyncIterable<ListedObject>
  /** Up to `most` objects of a listing whose keys come after one, in character order. */
  page(prefix: string, after: string, limit: number): Promise<ListedObject[]>
  /** Our unfinished writes, which listings do not show. */
  unfinished(): AsyncIterable<UnfinishedWrite>
  /**
   * An address under which anybody may read the object, including ranges, until it expires. Undefined for storages that
   * only this service can reach. Does not check whether the object exists.
   */
  presign?(key: string, options: Presigned): Promise<string>
}

/** Keys of the objects that this service stores. */
export const storageKeys = {
  /** Identifies the database to which the storage belongs. */
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

/** Whether a key is ours: other programs may use the same bucket. */
export const isOwnKey = (key: string): boolean => ownKey.test(key)
