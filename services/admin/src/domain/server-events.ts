import type { ServerPublicProfile } from '@parley/contracts/api'
import { encodeRealtimeEnvelope, type OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { TextName } from './server-texts.ts'

export type ServerEvent = Pick<OutgoingEvent, 'id' | 'kind' | 'fact' | 'deliveries'>

type Cause = { actorId: string; at: Date }
type Images = { logoKey: string | null; bannerKey: string | null }

export function serverUpdated(profile: ServerPublicProfile, images: Images, { actorId, at }: Cause): ServerEvent {
  const id = newId('event')
  const { name, description = '', logoUrl, bannerUrl } = profile
  const value = { name, description, ...(logoUrl && { logoUrl }), ...(bannerUrl && { bannerUrl }) }
  return {
    id,
    kind: 'server_updated',
    fact: {
      case: 'serverProfileChanged',
      value: { logoKey: images.logoKey ?? '', bannerKey: images.bannerKey ?? '' },
    },
    deliveries: [
      {
        envelope: encodeRealtimeEnvelope('server_updated', { id, createdAt: at, actorId, value }),
        audience: { case: 'everyone', value: true },
      },
    ],
  }
}

const textKinds: Record<TextName, string> = {
  name: 'server_name_changed',
  description: 'server_description_changed',
  motd: 'server_motd_changed',
  welcomeMessage: 'server_welcome_message_changed',
}

export const textChanged = (name: TextName): ServerEvent => ({ kind: textKinds[name], fact: details({}) })

export type ServerImage = 'logo' | 'banner'

export const imageSet = (image: ServerImage, key: string): ServerEvent => ({
  kind: `server_${image}_set`,
  fact: details({ key }),
})

export const imageCleared = (image: ServerImage): ServerEvent => ({
  kind: `server_${image}_cleared`,
  fact: details({}),
})

/** Without the names, because they may be names of people. */
export const blockedUsernamesChanged = (added: number, removed: number): ServerEvent => ({
  kind: 'server_blocked_usernames_changed',
  fact: details({ added: String(added), removed: String(removed) }),
})

const details = (of: Record<string, string>): ServerEvent['fact'] => ({ case: 'details', value: { details: of } })
