import type { Readable } from 'node:stream'

/**
 * `size`: of the whole object, even if a range was requested. The receiver must read `content` to its end or destroy
 * it.
 */
export type StoredObject = { size: number; content: Readable }

export type ByteRange = { start: number; end: number }

export type ListedObject = { key: string; size: number; modifiedAt: Date }

/** `at`: in S3 when the write began, on a disk when its file last changed. */
export type UnfinishedWrite = { key: string; at: Date; discard: () => Promise<void> }

export type PresignOptions = { expiresMs: number; contentType: string; filename: string }

/**
 * Keys are segments of `A-Za-z0-9_-` separated by slashes. Writes are atomic, even after a crash. Every method rejects
 * with `unavailable` when the storage fails.
 */
export type Storage = {
  put(key: string, content: Readable): Promise<void>
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>
  /** Describes an object as a listing does; undefined if it does not exist. */
  stat(key: string): Promise<ListedObject | undefined>
  delete(key: string): Promise<void>
  /** Lists objects below a prefix of whole path segments, without those whose names are not keys. */
  list(prefix: string): AsyncIterable<ListedObject>
  /** Lists the first `limit` objects, in the order of keys, whose keys come after `after`. */
  page(prefix: string, after: string, limit: number): Promise<ListedObject[]>
  /** Lists our unfinished writes; other listings do not contain them. */
  unfinished(): AsyncIterable<UnfinishedWrite>
  /**
   * Lists up to `limit` unfinished writes like `page`. Lists more if several have the last key, so that the next page
   * can start after it.
   */
  unfinishedAfter(after: string, limit: number): Promise<UnfinishedWrite[]>
  /**
   * Returns a URL with which anybody may read the object, including ranges, until it expires. The object need not
   * exist. The method is missing if clients cannot read from the storage, or if the settings forbid it.
   */
  presign?(key: string, options: PresignOptions): Promise<string>
}

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

/** False for the identity object, and for keys of other programs that use the same bucket. */
export const isOwnKey = (key: string): boolean => ownKey.test(key)
