import type { Client } from '@connectrpc/connect'
import type {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
} from '@parley/contracts/internal'
import type { ServerImageRow } from '../store/server-images.ts'

type Services = {
  accounts: Client<typeof AccountsInternalService>
  admin: Client<typeof AdminInternalService>
  messaging: Client<typeof MessagingInternalService>
}

const timeoutMs = 5_000

/**
 * Asks other services which files and images they use. Call this before deleting something to which no event referred,
 * because the event may be late or parked. At most 500 files or images per call; rejects if another service fails.
 */
export class FileReferences {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  async findAttachedFiles(assetIds: readonly string[]): Promise<{ assetId: string; eventId: string }[]> {
    if (assetIds.length === 0) return []
    const { attachments } = await this.#services.messaging.findFileUses({ assetIds: [...assetIds] }, { timeoutMs })
    return attachments.map(({ assetId, messageEventId: eventId }) => ({ assetId, eventId }))
  }

  async findShownImages(imageKeys: readonly string[]): Promise<Set<string>> {
    if (imageKeys.length === 0) return new Set()
    const request = { previewImageKeys: [...imageKeys] }
    return new Set((await this.#services.messaging.findFileUses(request, { timeoutMs })).previewImageKeys)
  }

  async findUsedImages(images: readonly Pick<ServerImageRow, 'key' | 'ownerId' | 'kind'>[]): Promise<Set<string>> {
    const userIds = new Set(images.flatMap(({ kind, ownerId }) => (kind === 'avatar' ? ownerId : [])))
    const hasLogoOrBanner = images.some(({ kind }) => kind === 'logo' || kind === 'banner')
    const [people, server] = await Promise.all([
      userIds.size > 0 ? this.#services.accounts.getPeople({ userIds: [...userIds] }, { timeoutMs }) : undefined,
      hasLogoOrBanner ? this.#services.admin.getServerImages({}, { timeoutMs }) : undefined,
    ])
    const avatars = people?.people.map(({ avatarKey }) => avatarKey) ?? []
    return new Set([...avatars, server?.logoKey ?? '', server?.bannerKey ?? ''])
  }
}
