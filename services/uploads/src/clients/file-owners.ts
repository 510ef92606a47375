import type { Client } from '@connectrpc/connect'
import type {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
} from '@parley/contracts/internal'
import type { ServerImageRow } from '../store/server-images.ts'

type Owners = {
  accounts: Client<typeof AccountsInternalService>
  admin: Client<typeof AdminInternalService>
  messaging: Client<typeof MessagingInternalService>
}

const timeoutMs = 5_000

/**
 * Ask before deleting something to which no event referred: the event may be late or parked. At most 500 per call;
 * rejects while a service does not answer.
 */
export class FileOwners {
  readonly #owners: Owners

  constructor(owners: Owners) {
    this.#owners = owners
  }

  async findAttachedFiles(assetIds: readonly string[]): Promise<{ assetId: string; eventId: string }[]> {
    if (assetIds.length === 0) return []
    const { attachments } = await this.#owners.messaging.findFileUses({ assetIds: [...assetIds] }, { timeoutMs })
    return attachments.map(({ assetId, messageEventId: eventId }) => ({ assetId, eventId }))
  }

  async findShownImages(imageKeys: readonly string[]): Promise<Set<string>> {
    if (imageKeys.length === 0) return new Set()
    const request = { previewImageKeys: [...imageKeys] }
    return new Set((await this.#owners.messaging.findFileUses(request, { timeoutMs })).previewImageKeys)
  }

  async findUsedImages(images: readonly Pick<ServerImageRow, 'key' | 'ownerId' | 'kind'>[]): Promise<Set<string>> {
    const userIds = new Set(images.flatMap(({ kind, ownerId }) => (kind === 'avatar' ? ownerId : [])))
    const hasLogoOrBanner = images.some(({ kind }) => kind === 'logo' || kind === 'banner')
    const [people, server] = await Promise.all([
      userIds.size > 0 ? this.#owners.accounts.getPeople({ userIds: [...userIds] }, { timeoutMs }) : undefined,
      hasLogoOrBanner ? this.#owners.admin.getServerImages({}, { timeoutMs }) : undefined,
    ])
    const avatars = people?.people.map(({ avatarKey }) => avatarKey) ?? []
    return new Set([...avatars, server?.logoKey ?? '', server?.bannerKey ?? ''])
  }
}
