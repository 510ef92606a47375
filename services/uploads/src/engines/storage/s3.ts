import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { measureOutgoing } from '@parley/runtime'
import { storageFailure } from './storage-failure.ts'
import { checkKey, isKey } from './keys.ts'
import type { S3Settings } from './settings.ts'
import {
  isOwnKey,
  type ByteRange,
  type ListedObject,
  type PresignOptions,
  type Storage,
  type StoredObject,
  type UnfinishedWrite,
} from './storage.ts'

const partBytes = 8 * 1024 * 1024
const partsAtOnce = 2
/** Each slow reader occupies a connection. */
const agent = { keepAlive: true, maxSockets: 512 }
const defaultTimeouts = {
  connectionTimeout: 10_000,
  requestTimeout: 60_000,
  socketTimeout: 60_000,
  throwOnRequestTimeout: true,
}

export type S3Storage = Storage &
  Disposable & {
    ping(): Promise<void>
  }

/** Does not connect to the server yet. */
export function openS3Storage(settings: S3Settings, timeouts: Partial<typeof defaultTimeouts> = {}): S3Storage {
  const { bucket: Bucket, pathPrefix, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({
    endpoint: `${settings.useSsl ? 'https' : 'http'}://${settings.endpoint}`,
    region: settings.region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: settings.pathStyle,
    maxAttempts: 3,
    requestHandler: { httpAgent: agent, httpsAgent: agent, ...defaultTimeouts, ...timeouts },
    // Not every server supports the newer checksums, and the signature of a request covers its body anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const keyPrefix = pathPrefix === '' ? '' : `${pathPrefix}/`
  const locate = (key: string) => ({ Bucket, Key: `${keyPrefix}${checkKey(key)}` })
  const startAfter = (key: string) => (key === '' ? undefined : locate(key).Key)
  const storage: S3Storage = {
    ping: async () => void (await client.send(new HeadBucketCommand({ Bucket }))),
    put: async (key, content) => put(client, locate(key), content),
    get: async (key, range) => {
      const from = locate(key)
      return translateErrors(() => get(client, from, range))
    },
    stat: async (key) => {
      const from = locate(key)
      return translateErrors(() => stat(client, key, from))
    },
    delete: async (key) => {
      const from = locate(key)
      await translateErrors(() => client.send(new DeleteObjectCommand(from)))
    },
    list: (prefix) => list(client, { Bucket, keyPrefix, prefix: locate(prefix).Key }),
    page: async (prefix, after, limit) =>
      takeFirst(list(client, { Bucket, keyPrefix, prefix: locate(prefix).Key }, startAfter(after)), limit),
    unfinished: () => unfinished(client, { Bucket, keyPrefix }),
    unfinishedAfter: async (after, limit) =>
      takeWholeKeys(unfinished(client, { Bucket, keyPrefix }, startAfter(after)), limit),
    [Symbol.dispose]: () => client.destroy(),
  }
  if (settings.presign) storage.presign = async (key, options) => presign(client, locate(key), options)
  return storage
}

type ObjectLocation = { Bucket: string; Key: string }

/**
 * The object exists once all parts have been received. Parts of a failed upload are deleted if the server still
 * answers. Errors of reading `content` are rethrown unchanged.
 */
async function put(client: S3Client, params: ObjectLocation, content: Readable): Promise<void> {
  let failure: { cause: unknown } | undefined
  const body = async function* () {
    try {
      yield* content as AsyncIterable<Buffer>
    } catch (cause) {
      failure = { cause }
      throw cause
    }
  }
  const Body = Readable.from(body(), { objectMode: false })
  const upload = new Upload({ client, params: { ...params, Body }, partSize: partBytes, queueSize: partsAtOnce })
  try {
    await measureOutgoing('storage', () => upload.done())
  } catch (error) {
    Body.destroy()
    content.destroy()
    throw failure ? failure.cause : storageFailure(error)
  }
}

async function get(
  client: S3Client,
  location: ObjectLocation,
  range: ByteRange | undefined,
): Promise<StoredObject | undefined> {
  const Range = range && `bytes=${range.start}-${range.end}`
  try {
    const { Body, ContentLength = 0, ContentRange } = await client.send(new GetObjectCommand({ ...location, Range }))
    const size = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength)
    const body = Body as Readable
    const content = Readable.from(checkLength(body, ContentLength), { objectMode: false })
    // Reading to the end destroys the body. This destroys it if reading stops earlier or never starts.
    content.once('close', () => body.destroy())
    return { size, content }
  } catch (error) {
    if (isMissing(error)) return undefined
    if (statusOf(error) !== 416) throw error
    const { ContentLength = 0 } = await client.send(new HeadObjectCommand(location))
    return { size: ContentLength, content: Readable.from([]) }
  }
}

async function stat(client: S3Client, key: string, location: ObjectLocation): Promise<ListedObject | undefined> {
  try {
    const { ContentLength = 0, LastModified = new Date() } = await client.send(new HeadObjectCommand(location))
    return { key, size: ContentLength, modifiedAt: LastModified }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const statusOf = (error: unknown) => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined)
const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && !(error instanceof Error && error.name === 'NoSuchBucket')

/** Throws if the content is shorter than announced: a lost connection must not look like the end of a file. */
async function* checkLength(body: Readable, length: number): AsyncIterable<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  // Only errors of reading are translated: `yield` throws if the receiver fails, such as a client that disconnects.
  const next = () => chunks.next().catch((error: unknown) => Promise.reject(storageFailure(error)))
  let read = 0
  for (let chunk = await next(); !chunk.done; chunk = await next()) {
    read += chunk.value.length
    yield chunk.value
  }
  if (read < length) throw storageFailure(new Error(`${read} of ${length} bytes received`))
}

/** Reads no further entry, which could cost another request. */
async function takeFirst<T>(all: AsyncIterable<T>, limit: number): Promise<T[]> {
  const page: T[] = []
  for await (const entry of all) if (page.push(entry) >= limit) break
  return page
}

/** The first `limit` entries, and those that have the same key as the last of them. */
async function takeWholeKeys(all: AsyncIterable<UnfinishedWrite>, limit: number): Promise<UnfinishedWrite[]> {
  const page: UnfinishedWrite[] = []
  for await (const entry of all) {
    if (page.length >= limit && entry.key !== page.at(-1)?.key) break
    page.push(entry)
  }
  return page
}

type Listing = { Bucket: string; keyPrefix: string; prefix: string }

async function* list(
  client: S3Client,
  { Bucket, keyPrefix, prefix }: Listing,
  after?: string,
): AsyncIterable<ListedObject> {
  let StartAfter = after
  do {
    const from = { Bucket, Prefix: `${prefix}/`, StartAfter }
    const { Contents = [], IsTruncated } = await translateErrors(() => client.send(new ListObjectsV2Command(from)))
    for (const { Key = '', Size = 0, LastModified = new Date() } of Contents) {
      const key = Key.slice(keyPrefix.length)
      if (isKey(key)) yield { key, size: Size, modifiedAt: LastModified }
    }
    StartAfter = IsTruncated ? Contents.at(-1)?.Key : undefined
  } while (StartAfter !== undefined)
}

/** Position in the list of unfinished uploads. Without an upload id, it comes after all uploads of the key. */
type Marker = { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined }

async function* unfinished(
  client: S3Client,
  { Bucket, keyPrefix }: Omit<Listing, 'prefix'>,
  after?: string,
): AsyncIterable<UnfinishedWrite> {
  for (let marker: Marker | undefined = { KeyMarker: after }; marker;) {
    const from = { Bucket, Prefix: keyPrefix, ...marker }
    const command = new ListMultipartUploadsCommand(from)
    const page: ListMultipartUploadsCommandOutput = await translateErrors(() => client.send(command))
    for (const { Key = '', UploadId, Initiated = new Date() } of page.Uploads ?? []) {
      const key = Key.slice(keyPrefix.length)
      if (!isOwnKey(key)) continue
      const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId })
      const discard = async () => void (await translateErrors(() => client.send(abort)))
      yield { key, at: Initiated, discard }
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    marker = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined
  }
}

function presign(
  client: S3Client,
  location: ObjectLocation,
  { expiresMs, contentType, filename }: PresignOptions,
): Promise<string> {
  const asciiName = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const ResponseContentDisposition = `inline; filename="${asciiName}"; filename*=UTF-8''${encodeRfc5987(filename)}`
  const command = new GetObjectCommand({ ...location, ResponseContentType: contentType, ResponseContentDisposition })
  return getSignedUrl(client, command, { expiresIn: Math.ceil(expiresMs / 1000) })
}

const encodeRfc5987 = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '_')).replaceAll(
    /['()*!]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** The caller cannot fix any error, so each becomes `unavailable`. */
async function translateErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await measureOutgoing('storage', request)
  } catch (error) {
    throw storageFailure(error)
  }
}
