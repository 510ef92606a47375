import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { createClient, type Client } from '@connectrpc/connect'
import { AssetService, AssetUploadService } from '@parley/contracts/api'
import { blobTicketHeader, signBlobTicket, type BlobTicket } from '@parley/signed-urls'
import {
  AccountsInternalService,
  AdminInternalService,
  EventBatchSchema,
  MessagingInternalService,
  RoomsInternalService,
  ServerImageKind,
  UploadsInternalService,
  type EventSchema,
} from '@parley/contracts/internal'
import { eventSubject } from '@parley/events'
import { newId } from '@parley/ids'
import { type Db } from '@parley/postgres'
import type { Bus, RpcClient } from '@parley/rpc'
import { Resources, type Service } from '@parley/runtime'
import {
  callAs,
  ErasureReports,
  fakeLeaf,
  openTestDatabase,
  standardPolicy,
  testBus,
  testDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
  testNats,
} from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { openDiskStorage } from '../src/engines/storage/disk.ts'
import { openS3Storage } from '../src/engines/storage/s3.ts'
import { storageKeys, type Storage } from '../src/engines/storage/storage.ts'
import { credentialSecrets, FakeAccounts } from './_accounts.ts'
import { FakeMessaging } from './_messaging.ts'
import { FakeRooms } from './_rooms.ts'
import { startS3, type TestS3 } from './_s3.ts'
import { startUploads, type Overrides } from '../src/service.ts'

export const blobSecret = 'the key of gateway and uploads for tests'
export const signingSecret = 'the secret of addresses of assets for tests'

export const publicUrl = 'https://chat.example.org'

/** Where bytes lie. */
export type StorageKind = 'disk' | 's3'
export const storageKinds: StorageKind[] = ['disk', 's3']

export type Env = AsyncDisposable & {
  database: TestDatabase
  db: Db
  folder: string
  storage: Storage
  /** The server of the bucket, when there is one. */
  s3: TestS3 | undefined
  /** Environment of a process. */
  settings: Readonly<Record<string, string>>
  bus: Bus
  rpc: RpcClient
  /** What uploads told accounts of deleted people. */
  erasures: ErasureReports
  internal: Client<typeof UploadsInternalService>
  /** Who is signed in: the stand-in for accounts. */
  accounts: FakeAccounts
  /** Who belongs where: the stand-in for rooms. */
  rooms: FakeRooms
  /** What rooms are told of videos, and what messages use: the stand-in for messaging. */
  messaging: FakeMessaging
  /** Images of the server, as admin says. */
  serverImages: { logoKey: string; bannerKey: string }
  as: (userId: string) => { uploads: Client<typeof AssetUploadService>; assets: Client<typeof AssetService> }
  /** Tells what happened to messages of a room. */
  tell: (
    roomId: string,
    event: { id?: string; kind: string; actorId?: string; fact: MessageInitShape<typeof EventSchema>['fact'] },
  ) => Promise<void>
  /** Starts a process; it lives as long as the environment. */
  start: (settings?: Record<string, string>, overrides?: Overrides) => Promise<Service>
  /** Tells what happened to an account or to the server. */
  announce: (event: {
    ownerId: string
    version: bigint
    fact: MessageInitShape<typeof EventSchema>['fact']
  }) => Promise<void>
  /** Keys of everything that lies in the storage. */
  storedKeys: () => Promise<string[]>
}

const drizzle = fileURLToPath(new URL('../drizzle', import.meta.url))

/** Everything around uploads: a database, a bus, and a folder or a bucket of its own. */
export async function openEnv(kind: StorageKind = 'disk', options?: TestDatabaseOptions): Promise<Env> {
  await using opened = new Resources()
  const database = opened.use(await testDatabase(drizzle, options))
  const nats = opened.use(await testNats())
  const { db } = opened.use(await openTestDatabase(database.url, { pool: 2 }))
  const { bus, rpc } = opened.use(await testBus(nats.url))
  const erasures = new ErasureReports()
  const accounts = new FakeAccounts()
  const rooms = new FakeRooms()
  const messaging = new FakeMessaging()
  const serverImages = { logoKey: '', bannerKey: '' }
  opened.use(
    await fakeLeaf(bus, (routes) => {
      const { authenticate, rekeyCredentials, getPeople } = accounts
      const { reportErased } = erasures
      routes.service(AccountsInternalService, { reportErased, authenticate, rekeyCredentials, getPeople })
      routes.service(AdminInternalService, { getPolicy: () => standardPolicy(), getServerImages: () => serverImages })
      routes.service(RoomsInternalService, { getRoomAccess: rooms.getRoomAccess })
      const { applyRoomEvents, findFileUses } = messaging
      routes.service(MessagingInternalService, { applyRoomEvents, findFileUses })
    }),
  )
  const folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'))
  opened.defer('folder', () => rm(folder, { recursive: true }))
  const s3 = kind === 's3' ? opened.use(await startS3()) : undefined
  const storage = s3 ? opened.use(openS3Storage(s3.settings)) : await openDiskStorage(folder)
  const processes = opened.use(new Resources())
  const env = {
    PARLEY_UPLOADS_DATABASE_URL: database.url,
    PARLEY_UPLOADS_HTTP_HOST: '127.0.0.1',
    PARLEY_UPLOADS_HTTP_PORT: '0',
    PARLEY_UPLOADS_BLOB_SECRET: blobSecret,
    PARLEY_CORE_SECRET_KEY: credentialSecrets.secretKey,
    PARLEY_CORE_SECRET_KEY_PREVIOUS: credentialSecrets.previousSecretKey,
    PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: credentialSecrets.cookieSigningSecret,
    PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET_PREVIOUS: credentialSecrets.previousCookieSigningSecret,
    PARLEY_CORE_ASSETS_SIGNING_SECRET: signingSecret,
    PARLEY_NATS_URL: nats.url,
    PARLEY_WEBSERVER_URL: publicUrl,
    ...(s3 ? s3.env : { PARLEY_CORE_ASSETS_DIRECTORY: folder }),
  }
  const closing = opened.move()
  return {
    database,
    ...{ db, folder, storage },
    ...{ settings: env, s3 },
    bus,
    rpc,
    erasures,
    ...{ accounts, rooms, messaging, serverImages },
    internal: createClient(UploadsInternalService, rpc.transport({})),
    as: (userId) => {
      const transport = callAs(rpc, { userId })
      return { uploads: createClient(AssetUploadService, transport), assets: createClient(AssetService, transport) }
    },
    async tell(roomId, event) {
      const about = { aggregateType: 'room', aggregateId: roomId, kind: event.kind } as const
      const { fact = { case: undefined }, id = newId('event'), actorId = 'Ualice' } = event
      const events = [{ ...about, id, actorId, version: 1n, fact }]
      const batch = toBinary(EventBatchSchema, create(EventBatchSchema, { events }))
      await bus.nc.jetstream().publish(eventSubject(about), batch)
    },
    start: async (settings = {}, overrides = {}) =>
      processes.use(await startUploads(readConfig({ env: { ...env, ...settings } }), overrides)),
    async announce({ ownerId, version, fact }) {
      const about =
        ownerId === 'server'
          ? ({ aggregateType: 'config', aggregateId: 'server', kind: 'server_updated' } as const)
          : ({ aggregateType: 'user', aggregateId: ownerId, kind: 'user_profile_updated' } as const)
      const events = [{ ...about, id: newId('event'), version, fact: fact ?? { case: undefined } }]
      const batch = toBinary(EventBatchSchema, create(EventBatchSchema, { events }))
      await bus.nc.jetstream().publish(eventSubject(about), batch)
    },
    storedKeys: async () => {
      const keys: string[] = []
      const { blobs, chunks, assets, variants, serverImages } = storageKeys
      for (const prefix of [blobs, chunks, assets, variants, serverImages])
        for await (const { key } of storage.list(prefix)) keys.push(key)
      return keys.sort()
    },
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  }
}

/** A ticket for these bytes, as the gateway would write it. */
export const ticketFor = (bytes: Uint8Array, changes: Partial<BlobTicket> = {}): BlobTicket => ({
  callerId: 'Ualice',
  method: 'svc.api.v1.MyAccountService/UploadAvatar',
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  signedAt: Date.now(),
  nonce: randomUUID(),
  ...changes,
})

export const postBlob = (service: Service, body: Uint8Array, ticket: string) =>
  fetch(`${service.url}/internal/blobs`, { method: 'POST', body, headers: { [blobTicketHeader]: ticket } })

/** Puts bytes aside as Alice, and answers the id. */
export async function putBlob(service: Service, bytes: Uint8Array): Promise<string> {
  const response = await postBlob(service, bytes, signBlobTicket(blobSecret, ticketFor(bytes)))
  const answer = (await response.json()) as { id: string }
  return answer.id
}

/** Makes an avatar of Alice of these bytes, and answers its key. */
export async function storeAvatar(env: Env, service: Service, bytes: Uint8Array): Promise<string> {
  const blobId = await putBlob(service, bytes)
  const owner = { ownerId: 'Ualice', callerId: 'Ualice' }
  return (await env.internal.storeServerImage({ blobId, kind: ServerImageKind.AVATAR, ...owner })).key
}
