import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Code, ConnectError } from '@connectrpc/connect'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { credentialDigest } from '@parley/credentials'
import { blobTicketHeader, readBlobTicket, type BlobTicket } from '@parley/signed-urls'
import { AdminServerService } from '@parley/contracts/admin'
import { MessageService, MyAccountService, type ImageUpload } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { AccountsInternalService } from '@parley/contracts/internal'
import { blobOf, callerOf, serveRpc } from '@parley/rpc'
import { openForTests } from '@parley/testkit/open-for-tests'
import { testGateway } from './_gateway.ts'

const secretKey = 'a secret key that is long enough for tests'
const blobSecret = 'the key of gateway and uploads for tests'

type Requested = { method: string; userId: string; blob: string | undefined; image: ImageUpload | undefined }
type SentBlob = { ticket: BlobTicket | undefined; bytes: Buffer }

type Server = {
  isUnavailable?: boolean
  name: string
  registration: boolean
  providers: { id: string; type: string; label: string }[]
}

const settings = {
  PARLEY_CORE_SECRET_KEY: secretKey,
  PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: 'another secret that is long enough',
  PARLEY_DRAIN_TIMEOUT: '200ms',
  PARLEY_UPLOADS_BLOB_SECRET: blobSecret,
}

/** Other services, including uploads' HTTP port, are stand-ins. */
const openImageFleet = () =>
  testGateway(settings, async (harness) => {
    const users = new Map<string, string>()
    const requested: Requested[] = []
    const blobs: SentBlob[] = []
    const server: Server = { name: 'Lodge', registration: true, providers: [] }
    let held = Promise.resolve()
    let heldLookUps = Promise.resolve()
    let lookUps = 0

    const record = (method: string, image: ImageUpload | undefined, call: Parameters<typeof callerOf>[0]) => {
      requested.push({ method, userId: callerOf(call).userId, blob: blobOf(call), image })
      return {}
    }
    const loginUrl = (id: string) => `/auth/providers/${id}`
    const services: Parameters<typeof serveRpc>[1][] = [
      {
        deployable: 'accounts',
        routes: (routes) =>
          routes
            .service(AccountsInternalService, {
              authenticate: async ({ digests }) => {
                lookUps += digests.length
                await heldLookUps
                const entries = digests.map((digest) => {
                  const userId = users.get(Buffer.from(digest).toString('hex'))
                  const expiresAt = timestampFromDate(new Date(Date.now() + 3_600_000))
                  return { digest, ...(userId !== undefined && { caller: { userId, credentialId: 'S1', expiresAt } }) }
                })
                return { entries }
              },
            })
            .service(MyAccountService, { uploadAvatar: ({ image }, call) => record('UploadAvatar', image, call) }),
      },
      {
        deployable: 'admin',
        routes: (routes) =>
          routes
            .service(AdminServerService, {
              uploadServerLogo: ({ image }, call) => record('UploadServerLogo', image, call),
              uploadServerBanner: ({ image }, call) => record('UploadServerBanner', image, call),
            })
            .service(ServerDiscoveryService, {
              getServer: () => {
                if (server.isUnavailable) throw new ConnectError('unavailable', Code.Unavailable)
                return {
                  profile: { name: server.name, version: '1.2', welcomeMessage: 'Hello' },
                  login: {
                    directRegistrationEnabled: server.registration,
                    authorizeUrl: 'http://chat.example.org/oauth/authorize',
                    providers: server.providers.map((provider) => ({ ...provider, loginUrl: loginUrl(provider.id) })),
                  },
                }
              },
            }),
      },
      { deployable: 'messaging', routes: (routes) => routes.service(MessageService, { createMessage: () => ({}) }) },
    ]
    for (const service of services) harness.use(await serveRpc(harness.bus, service))

    const uploads = createServer((request, response) => {
      void (async () => {
        const bytes = await buffer(request)
        const ticket = readBlobTicket(blobSecret, String(request.headers[blobTicketHeader]), Date.now())
        blobs.push({ ticket, bytes })
        await held
        response.writeHead(201).end(JSON.stringify({ id: `B${blobs.length}` }))
      })()
    }).listen(0, '127.0.0.1')
    await once(uploads, 'listening')
    harness.use({
      async [Symbol.asyncDispose]() {
        uploads.closeAllConnections()
        await new Promise((resolve) => uploads.close(resolve))
      },
    })
    harness.settings['PARLEY_GATEWAY_UPLOADS_URLS'] = `http://127.0.0.1:${(uploads.address() as AddressInfo).port}`
    return {
      ...{ requested, blobs, server },
      /** Number of credentials that were looked up in accounts. */
      lookUps: () => lookUps,
      /** Holds the responses of uploads until the returned function is called. */
      hold() {
        let release = () => {}
        held = new Promise((resolve) => (release = resolve))
        return release
      },
      /** Holds the responses of accounts until the returned function is called. */
      holdLookUps() {
        let release = () => {}
        heldLookUps = new Promise((resolve) => (release = resolve))
        return release
      },
      tokenOf(userId: string) {
        const token = `prl_AT${randomBytes(20).toString('hex')}`
        users.set(credentialDigest(secretKey, token).toString('hex'), userId)
        return token
      },
    }
  })

/** Opens a fleet for the tests of a file. */
export const useImageFleet = () => openForTests(openImageFleet)
