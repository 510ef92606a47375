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
import { countOutgoing } from '@parley/runtime'
import { storageFailure } from './storage-failure.ts'
import { checkKey, isKey } from './keys.ts'
import type { S3Settings } from './settings.ts'
import {
  isOwnKey,
  type ByteRange,
  type ListedObject,
  type Presigned,
  type Storage,
  type StoredObject,
  type UnfinishedWrite,
} from './storage.ts'

/** Part size of a write, which holds only a few parts in memory. */
const partBytes = 8 * 1024 * 1024
const partsAtOnce = 2
/** Slow readers occupy a connection. */
const agent = { keepAlive: true, maxSockets: 512 }
const timeouts = {
  connectionTimeout: 10_000,
  requestTimeout: 60_000,
  socketTimeout: 60_000,
  throwOnRequestTimeout: true,
}

export type S3Storage = Storage &
  Disposable & {
    /** Rejects with the error of the server if the bucket cannot be used. */
    ping(): Promise<void>
  }

/** Stores bytes in a bucket. */
export function openS3Storage(settings: S3Settings, limits: Partial<typeof timeouts> = {}): S3Storage {
  const { bucket: Bucket, pathPrefix, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({
    endpoint: `${settings.useSsl ? 'https' : 'http'}://${settings.endpoint}`,
    region: settings.region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: settings.pathStyle,
    maxAttempts: 3,
    requestHandler: { httpAgent: agent, httpsAgent: agent, ...timeouts, ...limits },
    // Not every server supports the newer checksums; the signature covers each body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const within = pathPrefix === '' ? '' : `${pathPrefix}/`
  const place = (key: string) => ({ Bucket, Key: `${within}${checkKey(key)}` })
  const storage: S3Storage = {
    ping: async () => void (await client.send(new HeadBucketCommand({ Bucket }))),
    put: async (key, content) => put(client, place(key), content),
    get: async (key, range) => {
      const from = place(key)
      return translateErrors(() => get(client, from, range))
    },
    stat: async (key) => {
      const from = place(key)
      return translateErrors(() => stat(client, key, from))
    },
    delete: async (key) => {
      const from = place(key)
      await translateErrors(() => client.send(new DeleteObjectCommand(from)))
    },
    list: (prefix) => list(client, { Bucket, within, prefix: place(prefix).Key }),
    page: async (prefix, after, limit) => {
      const below = { Bucket, within, prefix: place(prefix).Key }
      const page: ListedObject[] = []
      for await (const object of list(client, below, after === '' ? undefined : place(after).Key))
        if (page.push(object) === limit) break
      return page
    },
    unfinished: () => unfinished(client, { Bucket, within }),
    [Symbol.dispose]: () => client.destroy(),
  }
  if (settings.presign) storage.presign = async (key, options) => presign(client, place(key), options)
  return storage
}

type Place = { Bucket: string; Key: string }

/** Uploads in parts: the object exists once all parts have arrived, and parts of a failed upload are dropped. */
async function put(client: S3Client, params: Place, content: Readable): Promise<void> {
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
    await countOutgoing('storage', () => upload.done())
  } catch (error) {
    Body.destroy()
    content.destroy()
    throw failure ? failure.cause : storageFailure(error)
  }
}

async function get(client: S3Client, place: Place, range: ByteRange | undefined): Promise<StoredObject | undefined> {
  const Range = range && `bytes=${range.start}-${range.end}`
  try {
    const { Body, ContentLength = 0, ContentRange } = await client.send(new GetObjectCommand({ ...place, Range }))
    const size = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? ContentLength)
    const body = Body as Readable
    const content = Readable.from(whole(body, ContentLength), { objectMode: false })
    // A generator that is never read does not run its cleanup, and would keep its connection.
    content.once('close', () => body.destroy())
    return { size, content }
  } catch (error) {
    if (isNotThere(error)) return undefined
    if (statusOf(error) !== 416) throw error
    const { ContentLength = 0 } = await client.send(new HeadObjectCommand(place))
    return { size: ContentLength, content: Readable.from([]) }
  }
}

async function stat(client: S3Client, key: string, place: Place): Promise<ListedObject | undefined> {
  try {
    const { ContentLength = 0, LastModified = new Date() } = await client.send(new HeadObjectCommand(place))
    return { key, size: ContentLength, modifiedAt: LastModified }
  } catch (error) {
    if (isNotThere(error)) return undefined
    throw error
  }
}

const statusOf = (error: unknown) => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined)
const isNotThere = (error: unknown): boolean =>
  statusOf(error) === 404 && !(error instanceof Error && error.name === 'NoSuchBucket')

/** Fails if the content is shorter than announced, so that a lost connection does not look like the end of a file. */
async function* whole(body: Readable, length: number): AsyncIterable<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  // Only reading can fail here: at the yield a reader that goes away throws its own error.
  const next = () => chunks.next().catch((error: unknown) => Promise.reject(storageFailure(error)))
  let read = 0
  for (let chunk = await next(); !chunk.done; chunk = await next()) {
    read += chunk.value.length
    yield chunk.value
  }
  if (read < length) throw storageFailure(new Error(`${read} of ${length} bytes arrived`))
}

type Below = { Bucket: string; within: string; prefix: string }

async function* list(client: S3Client, { Bucket, within, prefix }: Below, after?: string): AsyncIterable<ListedObject> {
  let StartAfter = after
  do {
    const from = { Bucket, Prefix: `${prefix}/`, StartAfter }
    const { Contents = [], IsTruncated } = await translateErrors(() => client.send(new ListObjectsV2Command(from)))
    for (const { Key = '', Size = 0, LastModified = new Date() } of Contents) {
      const key = Key.slice(within.length)
      if (isKey(key)) yield { key, size: Size, modifiedAt: LastModified }
    }
    StartAfter = IsTruncated ? Contents.at(-1)?.Key : undefined
  } while (StartAfter !== undefined)
}

type Marker = { KeyMarker?: string; UploadIdMarker?: string | undefined }

async function* unfinished(
  client: S3Client,
  { Bucket, within }: Omit<Below, 'prefix'>,
): AsyncIterable<UnfinishedWrite> {
  for (let marker: Marker | undefined = {}; marker;) {
    const from = { Bucket, Prefix: within, ...marker }
    const page: ListMultipartUploadsCommandOutput = await translateErrors(() =>
      client.send(new ListMultipartUploadsCommand(from)),
    )
    for (const { Key = '', UploadId, Initiated = new Date() } of page.Uploads ?? []) {
      const key = Key.slice(within.length)
      if (!isOwnKey(key)) continue
      const write = { Bucket, Key, UploadId }
      const discard = async () =>
        void (await translateErrors(() => client.send(new AbortMultipartUploadCommand(write))))
      yield { key, startedAt: Initiated, discard }
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    marker = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined
  }
}

function presign(client: S3Client, place: Place, { expiresMs, contentType, filename }: Presigned): Promise<string> {
  const shown = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const ResponseContentDisposition = `inline; filename="${shown}"; filename*=UTF-8''${encodeRfc5987(filename)}`
  const command = new GetObjectCommand({ ...place, ResponseContentType: contentType, ResponseContentDisposition })
  return getSignedUrl(client, command, { expiresIn: Math.ceil(expiresMs / 1000) })
}

const encodeRfc5987 = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '_')).replaceAll(
    /['()*!]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Translates every error of the server to `unavailable`: the caller cannot fix it. */
async function translateErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await countOutgoing('storage', request)
  } catch (error) {
    throw storageFailure(error)
  }
}
