import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssetService, AssetUploadService } from '@parley/contracts/api'
import { blobTicketHeader, signBlobTicket, type BlobTicket } from '@parley/signed-urls'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  RoomsInternalService,
  ServerImageKind,
  UploadsInternalService,
} from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import {
  ErasureReports,
  publishEvents,
  standardPolicy,
  testDatabaseService,
  type TestDatabaseOptions,
  type TestEvent,
} from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { openDiskStorage } from '../src/engines/storage/disk.ts'
import { openS3Storage } from '../src/engines/storage/s3.ts'
import { storageKeys } from '../src/engines/storage/storage.ts'
import { credentialSecrets, FakeAccounts } from './_accounts.ts'
import { FakeMessaging } from './_messaging.ts'
import { FakeRooms } from './_rooms.ts'
import { startS3 } from './_s3.ts'
import { startUploads } from '../src/service.ts'

export const blobSecret = 'the key of gateway and uploads for tests'
export const signingSecret = 'the secret that signs asset URLs in tests'

export const publicUrl = 'https://chat.example.org'

export type StorageKind = 'disk' | 's3'
export const storageKinds: StorageKind[] = ['disk', 's3']

export type Env = Awaited<ReturnType<typeof openEnv>>

const settings = {
  PARLEY_UPLOADS_HTTP_HOST: '127.0.0.1',
  PARLEY_UPLOADS_HTTP_PORT: '0',
  PARLEY_UPLOADS_BLOB_SECRET: blobSecret,
  PARLEY_CORE_SECRET_KEY: credentialSecrets.secretKey,
  PARLEY_CORE_SECRET_KEY_PREVIOUS: credentialSecrets.previousSecretKey,
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: credentialSecrets.cookieSigningSecret,
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET_PREVIOUS: credentialSecrets.previousCookieSigningSecret,
  PARLEY_CORE_ASSETS_SIGNING_SECRET: signingSecret,
  PARLEY_WEBSERVER_URL: publicUrl,
}

/** A database, a bus, fakes of other services, and a separate folder or bucket. */
export const openEnv = (kind: StorageKind = 'disk', options: TestDatabaseOptions = {}) =>
  testDatabaseService(
    {
      ...{ ...options, start: startUploads, readConfig, settings },
      ...{ databaseSetting: 'PARLEY_UPLOADS_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
    },
    async (harness) => {
      const { bus } = harness
      const fakes = createFakes()
      const { accounts, rooms, messaging, erasures, serverImages } = fakes
      await harness.serveFakes((routes) => {
        const { authenticate, rekeyCredentials, getPeople } = accounts
        const { reportErased } = erasures
        routes.service(AccountsInternalService, { reportErased, authenticate, rekeyCredentials, getPeople })
        routes.service(AdminInternalService, { getPolicy: () => standardPolicy(), getServerImages: () => serverImages })
        routes.service(RoomsInternalService, { getRoomAccess: rooms.getRoomAccess })
        const { applyRoomEvents, findFileUses } = messaging
        routes.service(MessagingInternalService, { applyRoomEvents, findFileUses })
      })
      const folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'))
      harness.use({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) })
      const s3 = kind === 's3' ? harness.use(await startS3()) : undefined
      const storage = s3 ? harness.use(openS3Storage(s3.settings)) : await openDiskStorage(folder)
      Object.assign(harness.settings, s3 ? s3.env : { PARLEY_CORE_ASSETS_DIRECTORY: folder })
      return {
        ...fakes,
        ...{ folder, storage, /** The server of the bucket, if any. */ s3 },
        internal: harness.client(UploadsInternalService),
        as: (userId: string) => harness.clients({ uploads: AssetUploadService, assets: AssetService }, { userId }),
        publish: (roomId: string, event: Pick<TestEvent, 'kind'> & Partial<TestEvent>) =>
          publishEvents(bus, { actorId: 'Ualice', ...event, aggregateType: 'room', aggregateId: roomId }),
        announce: ({ ownerId, ...event }: { ownerId: string } & Pick<TestEvent, 'version' | 'fact'>) =>
          publishEvents(bus, {
            ...(ownerId === 'server'
              ? { aggregateType: 'config', aggregateId: 'server', kind: 'server_updated' }
              : { aggregateType: 'user', aggregateId: ownerId, kind: 'user_profile_updated' }),
            ...event,
          }),
        async storedKeys(): Promise<string[]> {
          const keys: string[] = []
          const { blobs, chunks, assets, variants, serverImages: images } = storageKeys
          for (const prefix of [blobs, chunks, assets, variants, images])
            for await (const { key } of storage.list(prefix)) keys.push(key)
          return keys.sort()
        },
      }
    },
  )

const createFakes = () => ({
  erasures: new ErasureReports(),
  accounts: new FakeAccounts(),
  rooms: new FakeRooms(),
  messaging: new FakeMessaging(),
  serverImages: { logoKey: '', bannerKey: '' },
})

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

export async function putBlob(service: Service, bytes: Uint8Array): Promise<string> {
  const response = await postBlob(service, bytes, signBlobTicket(blobSecret, ticketFor(bytes)))
  const answer = (await response.json()) as { id: string }
  return answer.id
}

export async function storeAvatar(env: Env, service: Service, bytes: Uint8Array): Promise<string> {
  const blobId = await putBlob(service, bytes)
  const owner = { ownerId: 'Ualice', callerId: 'Ualice' }
  return (await env.internal.storeServerImage({ blobId, kind: ServerImageKind.AVATAR, ...owner })).key
}
