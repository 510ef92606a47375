import type { DatabaseHost } from '@parley/service'
import type { Context } from '../context.ts'
import { onMessageChanged } from './on-message-changed.ts'
import { onMessagePosted, onMessagesImported } from './on-message-posted.ts'
import { onProfileUpdated } from './on-profile-updated.ts'
import { onServerUpdated } from './on-server-updated.ts'

export async function startConsumers(host: DatabaseHost, { now, fileLimits }: Context): Promise<void> {
  const options = { now, processesVideos: fileLimits.videoEnabled }
  const profileUpdates = 'evt.user.*.user_profile_updated'
  await host.consume({ durable: 'avatars', subject: profileUpdates, on: onProfileUpdated })
  const serverUpdates = 'evt.config.server.server_updated'
  await host.consume({ durable: 'branding', subject: serverUpdates, on: onServerUpdated })
  // The subjects of posts, edits and retractions without files and images end with `.text`, so they are not received.
  for (const [durable, kind, on] of [
    ['posted', 'message_posted', onMessagePosted(options)],
    ['imported', 'messages_imported', onMessagesImported(options)],
    ['edited', 'message_edited', onMessageChanged],
    ['retracted', 'message_retracted', onMessageChanged],
  ] as const)
    await host.consume({ durable, subject: `evt.room.*.${kind}`, batches: { on } })
}
