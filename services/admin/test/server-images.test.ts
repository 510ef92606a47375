import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import {
  AdminInternalService,
  ServerImageKind,
  UploadsInternalService,
  type StoreServerImageRequest,
} from '@parley/contracts/internal'
import { eventually, recordEvents } from '@parley/testkit'
import { useAdmin } from './_admin.ts'

const admin = useAdmin()
const requested: StoreServerImageRequest[] = []

beforeAll(async () => {
  await admin.serveFakes((router) =>
    router.service(UploadsInternalService, {
      storeServerImage: (req) => {
        requested.push(req)
        if (req.blobId === 'broken') throw new ConnectError('this is not an image', Code.InvalidArgument)
        return { key: `key-of-${req.blobId}` }
      },
    }),
  )
  await admin.start()
})

const withBlob = (id: string) => ({ headers: { 'parley-blob': id } })
const profile = async () => (await admin.anonymous.discovery.getServer({})).profile

test('a logo and a banner are stored, served by signed URL, announced, and removed', async () => {
  await using recording = await recordEvents(admin.bus, 'evt.config.server.>')
  const { adminServer } = admin.bert
  const { publicProfile } = await adminServer.uploadServerLogo({}, withBlob('logo1'))
  expect(requested.at(-1)).toMatchObject({
    blobId: 'logo1',
    kind: ServerImageKind.LOGO,
    ownerId: 'server',
    callerId: 'Ubert',
  })
  expect(publicProfile?.logoUrl).toMatch(/^https:\/\/chat\.example\.org\/assets\/server\/key-of-logo1\/t\/\S+$/)
  expect(await profile()).toEqual(publicProfile)

  const banner = await adminServer.uploadServerBanner({}, withBlob('banner1'))
  expect(requested.at(-1)).toMatchObject({ blobId: 'banner1', kind: ServerImageKind.BANNER })
  expect(banner.publicProfile).toMatchObject({
    logoUrl: publicProfile?.logoUrl,
    bannerUrl: expect.stringContaining('key-of-banner1'),
  })

  const images = createClient(AdminInternalService, admin.rpc.transport({}))
  expect(await images.getServerImages({})).toMatchObject({ logoKey: 'key-of-logo1', bannerKey: 'key-of-banner1' })

  expect((await adminServer.deleteServerLogo({})).publicProfile?.logoUrl).toBeUndefined()
  expect((await adminServer.deleteServerLogo({})).publicProfile?.bannerUrl).toBeDefined()
  expect((await adminServer.deleteServerBanner({})).publicProfile?.bannerUrl).toBeUndefined()

  await eventually(() => expect(recording.events).toHaveLength(8))
  expect(recording.events.map(({ kind, fact }) => [kind, fact.value])).toEqual([
    ['server_updated', expect.objectContaining({ logoKey: 'key-of-logo1', bannerKey: '' })],
    ['server_logo_set', expect.objectContaining({ details: { key: 'key-of-logo1' } })],
    ['server_updated', expect.objectContaining({ logoKey: 'key-of-logo1', bannerKey: 'key-of-banner1' })],
    ['server_banner_set', expect.objectContaining({ details: { key: 'key-of-banner1' } })],
    ['server_updated', expect.objectContaining({ logoKey: '', bannerKey: 'key-of-banner1' })],
    ['server_logo_cleared', expect.anything()],
    ['server_updated', expect.objectContaining({ logoKey: '', bannerKey: '' })],
    ['server_banner_cleared', expect.anything()],
  ])
})

test('an upload without an image, or with one that the uploads service refuses, is an invalid argument', async () => {
  const invalid = { code: Code.InvalidArgument }
  await expect(admin.bert.adminServer.uploadServerLogo({})).rejects.toMatchObject(invalid)
  await expect(admin.bert.adminServer.uploadServerBanner({}, withBlob('broken'))).rejects.toMatchObject(invalid)
  expect((await profile())?.bannerUrl).toBeUndefined()
})
